//! Every op's definition is TensorFlow's: name, arguments, attributes and flags, compared with a recorded table.

use std::collections::HashMap;

/// Columns: op, signature, attributes, flags.
const TABLE: &str = include_str!("../../../conformance/signatures.tsv");

fn recorded() -> HashMap<&'static str, [&'static str; 3]> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or_default();
        (next(), [next(), next(), next()])
    })
    .collect()
}

#[test]
fn every_definition_equals_tensorflows() {
    let table = recorded();
    let mut wrong = Vec::new();
    for spec in ferroflow_ops::specs() {
        let name = spec.signature.split('(').next().unwrap_or_default();
        match table.get(name) {
            None if name.starts_with("Ferroflow") => {}
            None => wrong.push(format!("TensorFlow has no op {name}; ops of our own start with Ferroflow")),
            Some(row) if *row != [spec.signature, spec.attrs, spec.flags] => {
                wrong.push(format!("{name}: recorded {row:?}, ours {:?}", [spec.signature, spec.attrs, spec.flags]));
            }
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_definition_parses_and_is_documented() {
    let registry = ferroflow_ops::registry();
    for op in registry.iter() {
        assert!(!op.spec.doc.is_empty(), "{} has no doc", op.def.name);
    }
    assert_eq!(registry.iter().count(), ferroflow_ops::specs().count());
}

#[test]
fn every_kernel_is_for_types_that_the_op_allows() {
    for op in ferroflow_ops::registry().iter() {
        for (attr, types) in op.spec.kernels.iter().flat_map(|k| k.types.iter().flatten()) {
            let name = &op.def.name;
            let def = op.def.attr(attr).unwrap_or_else(|| panic!("{name} has no attribute {attr}"));
            assert!(!types.is_empty(), "{name}: a kernel serves no type of {attr}");
            if let Some(allowed) = &def.allowed_types {
                assert!(types.iter().any(|t| allowed.contains(t)), "{name}: no type of the kernel is allowed for {attr}");
            }
        }
    }
}
