//! `OpDef`: an op's name, arguments and attributes (TF: `OpDef`).

use crate::attr::{AttrMap, AttrValue};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, EdgeType, Result};

/// How the type of an argument is given.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgType {
    /// Always this type.
    Fixed(DType),
    /// The `type` attribute of this name.
    Attr(String),
    /// One tensor per element of the `list(type)` attribute of this name.
    ListAttr(String),
}

/// One argument or result.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgDef {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: ArgType,
    /// The `int` attribute that says how many tensors it stands for.
    pub number_attr: Option<String>,
    /// Whether it is a reference to a variable.
    pub is_ref: bool,
}

/// One attribute.
#[derive(Clone, Debug)]
pub struct AttrDef {
    /// Its name.
    pub name: String,
    /// Its kind: `int`, `float`, `bool`, `type`, `string`, `shape`, `tensor`, `func` or `list(…)` of one of them.
    pub kind: String,
    /// Its value where a node has none.
    pub default: Option<AttrValue>,
    /// Least value of an `int`, least length of a list.
    pub minimum: Option<i64>,
    /// Types that a `type` or `list(type)` may have.
    pub allowed_types: Option<Vec<DType>>,
    /// Values that a `string` or `list(string)` may have.
    pub allowed_strings: Option<Vec<String>>,
}

/// The definition of an op.
#[derive(Clone, Debug, Default)]
pub struct OpDef {
    /// Its name, such as `MatMul`.
    pub name: String,
    /// Its arguments, in order.
    pub inputs: Vec<ArgDef>,
    /// Its results, in order.
    pub outputs: Vec<ArgDef>,
    /// Its attributes.
    pub attrs: Vec<AttrDef>,
    /// Whether its arguments may be swapped.
    pub is_commutative: bool,
    /// Whether nested uses may be flattened.
    pub is_aggregate: bool,
    /// Whether it has state or effects: it is never folded, merged with an equal node, or dropped as a duplicate.
    pub is_stateful: bool,
    /// Whether its reference inputs may be variables without a value.
    pub allows_uninitialized_input: bool,
}

/// The types of a node's inputs and outputs, lists expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arity {
    /// One per input tensor.
    pub inputs: Vec<EdgeType>,
    /// One per output tensor.
    pub outputs: Vec<EdgeType>,
}

impl OpDef {
    /// The attribute of this name.
    pub fn attr(&self, name: &str) -> Option<&AttrDef> {
        self.attrs.iter().find(|a| a.name == name)
    }

    /// Fills in defaults and checks kinds, limits and allowed values. Attributes that start with `_` are always allowed.
    ///
    /// Errors: `InvalidArgument` naming the attribute.
    pub fn complete(&self, attrs: &mut AttrMap) -> Result<()> {
        for def in &self.attrs {
            match attrs.get(&def.name) {
                Some(value) => {
                    if value.is_empty_list() && def.kind.starts_with("list(") {
                        attrs.insert(def.name.clone(), def.empty_list());
                    }
                    if let Some(value) = attrs.get(&def.name) {
                        def.check(&self.name, value)?;
                    }
                }
                None => match &def.default {
                    Some(default) => attrs.insert(def.name.clone(), default.clone()),
                    None => {
                        return Err(invalid_argument(format!("NodeDef missing attr '{}' from Op<name={}>", def.name, self.name)));
                    }
                },
            }
        }
        for (name, _) in attrs.iter() {
            if !name.starts_with('_') && self.attr(name).is_none() {
                return Err(invalid_argument(format!("NodeDef mentions attr '{name}' not in Op<name={}>", self.name)));
            }
        }
        Ok(())
    }

    /// The types of all inputs and outputs of a node with these (complete) attributes.
    ///
    /// Errors: `InvalidArgument` if an attribute that they depend on is missing or of another kind.
    pub fn arity(&self, attrs: &AttrMap) -> Result<Arity> {
        let expand = |args: &[ArgDef]| -> Result<Vec<EdgeType>> {
            let mut types = Vec::with_capacity(args.len());
            for arg in args {
                arg.expand(attrs, &mut types)?;
            }
            Ok(types)
        };
        Ok(Arity { inputs: expand(&self.inputs)?, outputs: expand(&self.outputs)? })
    }

    /// The range of output tensors that the result `name` stands for.
    ///
    /// Errors: `InvalidArgument` if there is no such result.
    pub fn output_range(&self, name: &str, attrs: &AttrMap) -> Result<std::ops::Range<usize>> {
        let mut types = Vec::new();
        for arg in &self.outputs {
            let start = types.len();
            arg.expand(attrs, &mut types)?;
            if arg.name == name {
                return Ok(start..types.len());
            }
        }
        Err(invalid_argument(format!("op {} has no output '{name}'", self.name)))
    }
}

impl ArgDef {
    /// Whether it stands for any number of tensors.
    pub fn is_list(&self) -> bool {
        self.number_attr.is_some() || matches!(self.ty, ArgType::ListAttr(_))
    }

    /// The types of the tensors that it stands for, given the node's complete attributes.
    ///
    /// Errors: `InvalidArgument` if an attribute that they depend on is missing or of another kind.
    pub fn types(&self, attrs: &AttrMap) -> Result<Vec<EdgeType>> {
        let mut types = Vec::new();
        self.expand(attrs, &mut types)?;
        Ok(types)
    }

    /// Appends the types of the tensors that this argument stands for.
    fn expand(&self, attrs: &AttrMap, types: &mut Vec<EdgeType>) -> Result<()> {
        let edge = |dtype| EdgeType { dtype, is_ref: self.is_ref };
        match &self.ty {
            ArgType::ListAttr(list) => types.extend(attrs.types(list)?.iter().map(|t| edge(t.dtype))),
            single => {
                let dtype = match single {
                    ArgType::Fixed(dtype) => *dtype,
                    ArgType::Attr(name) | ArgType::ListAttr(name) => attrs.dtype(name)?,
                };
                const MOST: usize = 1 << 20;
                let n = match &self.number_attr {
                    None => 1,
                    Some(number) => attrs.count(number)?,
                };
                if n > MOST {
                    return Err(invalid_argument(format!("argument '{}' stands for {n} tensors, at most {MOST} are allowed", self.name)));
                }
                types.extend(std::iter::repeat_n(edge(dtype), n));
            }
        }
        Ok(())
    }
}

impl AttrDef {
    fn empty_list(&self) -> AttrValue {
        match self.kind.as_str() {
            "list(float)" => AttrValue::Floats(vec![]),
            "list(bool)" => AttrValue::Bools(vec![]),
            "list(type)" => AttrValue::Types(vec![]),
            "list(string)" => AttrValue::Strs(vec![]),
            "list(shape)" => AttrValue::Shapes(vec![]),
            "list(tensor)" => AttrValue::Tensors(vec![]),
            "list(func)" => AttrValue::Funcs(vec![]),
            _ => AttrValue::Ints(vec![]),
        }
    }

    /// Errors: `InvalidArgument` if the value is of another kind, below the minimum or not allowed.
    fn check(&self, op: &str, value: &AttrValue) -> Result<()> {
        if matches!(value, AttrValue::Placeholder(_)) {
            return Ok(());
        }
        if value.kind() != self.kind {
            return Err(invalid_argument(format!(
                "AttrValue had value with type '{}' when '{}' expected for attr '{}' of Op<name={op}>",
                value.kind(),
                self.kind,
                self.name
            )));
        }
        let measure = match value {
            AttrValue::Int(v) => Some(*v),
            AttrValue::Ints(v) => Some(v.len() as i64),
            AttrValue::Types(v) => Some(v.len() as i64),
            AttrValue::Strs(v) => Some(v.len() as i64),
            AttrValue::Shapes(v) => Some(v.len() as i64),
            AttrValue::Floats(v) => Some(v.len() as i64),
            AttrValue::Funcs(v) => Some(v.len() as i64),
            _ => None,
        };
        if let (Some(minimum), Some(measure)) = (self.minimum, measure)
            && measure < minimum
        {
            return Err(invalid_argument(format!(
                "Value for attr '{}' of {measure} must be at least minimum {minimum} of Op<name={op}>",
                self.name
            )));
        }
        if let Some(allowed) = &self.allowed_types {
            let types: &[EdgeType] = match value {
                AttrValue::Type(t) => std::slice::from_ref(t),
                AttrValue::Types(ts) => ts,
                _ => &[],
            };
            if let Some(bad) = types.iter().find(|t| !allowed.contains(&t.dtype)) {
                let list: Vec<&str> = allowed.iter().map(|d| d.name()).collect();
                return Err(invalid_argument(format!(
                    "Value for attr '{}' of {} is not in the list of allowed values: {} of Op<name={op}>",
                    self.name,
                    bad.dtype,
                    list.join(", ")
                )));
            }
        }
        if let (Some(allowed), AttrValue::Str(s)) = (&self.allowed_strings, value)
            && !allowed.iter().any(|a| a.as_bytes() == s.as_ref())
        {
            return Err(invalid_argument(format!(
                "Value for attr '{}' of \"{}\" is not in the list of allowed values: {} of Op<name={op}>",
                self.name,
                String::from_utf8_lossy(s),
                allowed.join(", ")
            )));
        }
        Ok(())
    }
}
