//! The names of ops in Rust: `MatMul` is `mat_mul`, as TF's Python names them.

/// The name of an op in snake case (TF: the name of its Python wrapper): `MatMul` is `mat_mul`, `Conv2DBackpropInput` is
/// `conv2d_backprop_input`. A leading `_` of an internal op is dropped.
pub fn snake_case(op: &str) -> String {
    let chars: Vec<char> = op.trim_start_matches('_').chars().collect();
    let mut out = String::with_capacity(chars.len() + 8);
    for (i, &c) in chars.iter().enumerate() {
        let after_lower = i > 0 && chars[i - 1].is_ascii_lowercase();
        let starts_word = i > 0 && chars.get(i + 1).is_some_and(|n| n.is_ascii_lowercase());
        if c.is_ascii_uppercase() && (after_lower || starts_word) {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_tensorflows_python() {
        for (op, name) in [
            ("MatMul", "mat_mul"),
            ("ConcatV2", "concat_v2"),
            ("Conv2DBackpropInput", "conv2d_backprop_input"),
            ("FIFOQueueV2", "fifo_queue_v2"),
            ("InTopKV2", "in_top_kv2"),
            ("L2Loss", "l2_loss"),
            ("LRN", "lrn"),
            ("Relu6Grad", "relu6_grad"),
            ("_Send", "send"),
        ] {
            assert_eq!(snake_case(op), name);
        }
    }

    #[test]
    fn every_op_lies_in_the_file_that_its_name_says() {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for (family, ops) in crate::FAMILIES {
            for op in *ops {
                let name = op.signature.split('(').next().unwrap_or_default();
                let stem = snake_case(name);
                // A keyword of Rust cannot name a module.
                let files = [format!("{stem}.rs"), format!("{stem}_op.rs")].map(|f| source.join(family).join(f));
                let defines = |f: &std::path::PathBuf| std::fs::read_to_string(f).is_ok_and(|t| t.contains(&format!("\"{name}(")));
                assert!(files.iter().any(defines), "no file {family}/{stem}.rs defines {name}");
            }
        }
    }
}
