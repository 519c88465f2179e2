//! `EncodeJpeg`: an image as a JPEG file.

use super::jpeg_writer::{Settings, encode};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "EncodeJpeg(image: uint8) -> (contents: string)",
    attrs: "format: string in {\"\", \"grayscale\", \"rgb\"} = \"\"; quality: int = 95; progressive: bool = false; optimize_size: bool = false; chroma_downsampling: bool = true; density_unit: string in {\"in\", \"cm\"} = \"in\"; x_density: int = 300; y_density: int = 300; xmp_metadata: string = \"\"",
    doc: "A JPEG file of an image `[rows, columns, channels]` of 1 or 3 channels, written in one scan: `progressive` and `optimize_size` \
          would change how it is stored, not the image.",
    shape: |c| {
        c.with_rank(0, 3)?;
        c.set_output(0, PartialShape::scalar());
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).heavy()],
    ..WORDS
};

/// The file of an image whose shape is checked here.
///
/// Errors: `InvalidArgument` for what JPEG cannot hold.
pub(super) fn file(pixels: &[u8], dims: &[i64], settings: &Settings) -> Result<Vec<u8>> {
    let &[rows, columns, channels @ (1 | 3)] = dims else {
        return Err(invalid_argument(format!("image must be 3-dimensional with 1 or 3 channels, got shape {dims:?}")));
    };
    let in_range = |n: i64| (1..=65535).contains(&n);
    if !in_range(rows) || !in_range(columns) {
        return Err(invalid_argument(format!("JPEG images have 1 to 65535 rows and columns, got {rows} and {columns}")));
    }
    Ok(encode(pixels, rows as usize, columns as usize, channels as usize, settings))
}

/// A quality from 0 to 100.
///
/// Errors: `InvalidArgument` for others.
pub(super) fn quality(given: i64) -> Result<u32> {
    match u32::try_from(given) {
        Ok(q) if q <= 100 => Ok(q),
        _ => Err(invalid_argument(format!("quality must be in [0,100], got {given}"))),
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, attrs) = (ctx.input(0)?, &ctx.node.attrs);
    if x.rank() != 3 {
        return Err(invalid_argument(format!("image must be 3-dimensional, got shape {}", x.shape())));
    }
    let channels = x.dims()[2];
    let wanted = match attrs.str("format")? {
        "grayscale" => 1,
        "rgb" => 3,
        _ => channels,
    };
    if wanted != channels || ![1, 3].contains(&channels) {
        return Err(invalid_argument(format!("format '{}' expects {wanted} channels, but there are {channels}", attrs.str("format")?)));
    }
    let density = |name: &str| -> Result<u16> {
        u16::try_from(attrs.int(name)?)
            .map_err(|_| invalid_argument(format!("{name} must be in [0,65535], got {}", attrs.int(name).unwrap_or(0))))
    };
    let xmp = attrs.bytes("xmp_metadata")?;
    if xmp.len() > 65_000 {
        return Err(invalid_argument("XMP metadata must be at most 65000 bytes"));
    }
    let settings = Settings {
        quality: quality(attrs.int("quality")?)?,
        half_colors: attrs.bool("chroma_downsampling")?,
        density_unit: if attrs.str("density_unit")? == "cm" { 2 } else { 1 },
        density: [density("x_density")?, density("y_density")?],
        xmp,
    };
    let bytes = file(x.as_slice()?, x.dims(), &settings)?;
    ctx.set_output(0, Tensor::string(bytes));
    Ok(())
}
