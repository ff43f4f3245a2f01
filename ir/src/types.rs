//! Scalars, constants, and the layout of array elements.

use std::fmt;

/// The type of an SSA value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// True or false; one byte in arrays.
    Bool,
    /// 8-bit signed integer.
    I8,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit signed integer.
    I16,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit signed integer.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit signed integer.
    I64,
    /// 64-bit unsigned integer.
    U64,
    /// IEEE 754 binary16: stored, compared and converted, but not computed with.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Scalar; 12] = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F16,
        Scalar::F32,
        Scalar::F64,
    ];

    /// The name in the text form, which is Rust's.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }
    /// Size in bytes in an array; also the alignment.
    pub fn size(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }
    /// Whether this is `f16`, `f32` or `f64`: what a derivative can flow through.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }
    /// The float that cotangents of this one are added up in: `f32` for `f16`, else the same.
    pub fn wide_float(self) -> Scalar {
        if self == Scalar::F16 { Scalar::F32 } else { self }
    }
    /// Whether this is one of the eight integers.
    pub fn is_int(self) -> bool {
        self != Scalar::Bool && !self.is_float()
    }
    /// Whether this is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }
    /// How many bits a value has.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            s => s.size() * 8,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value known when the kernel is built. Equality is by bits, so a NaN equals itself.
#[derive(Clone, Copy, Debug)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// An 8-bit signed integer.
    I8(i8),
    /// An 8-bit unsigned integer.
    U8(u8),
    /// A 16-bit signed integer.
    I16(i16),
    /// A 16-bit unsigned integer.
    U16(u16),
    /// A 32-bit signed integer.
    I32(i32),
    /// A 32-bit unsigned integer.
    U32(u32),
    /// A 64-bit signed integer.
    I64(i64),
    /// A 64-bit unsigned integer.
    U64(u64),
    /// The bits of a 16-bit float.
    F16(u16),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
}

impl Constant {
    /// Its type.
    pub fn scalar(self) -> Scalar {
        match self {
            Constant::Bool(_) => Scalar::Bool,
            Constant::I8(_) => Scalar::I8,
            Constant::U8(_) => Scalar::U8,
            Constant::I16(_) => Scalar::I16,
            Constant::U16(_) => Scalar::U16,
            Constant::I32(_) => Scalar::I32,
            Constant::U32(_) => Scalar::U32,
            Constant::I64(_) => Scalar::I64,
            Constant::U64(_) => Scalar::U64,
            Constant::F16(_) => Scalar::F16,
            Constant::F32(_) => Scalar::F32,
            Constant::F64(_) => Scalar::F64,
        }
    }
    /// Its bits, in the low end of the word; integers are not sign-extended.
    pub fn bits(self) -> u64 {
        match self {
            Constant::Bool(v) => v as u64,
            Constant::I8(v) => v as u8 as u64,
            Constant::U8(v) => v as u64,
            Constant::I16(v) => v as u16 as u64,
            Constant::U16(v) | Constant::F16(v) => v as u64,
            Constant::I32(v) => v as u32 as u64,
            Constant::U32(v) => v as u64,
            Constant::I64(v) => v as u64,
            Constant::U64(v) => v,
            Constant::F32(v) => v.to_bits() as u64,
            Constant::F64(v) => v.to_bits(),
        }
    }
    /// The constant of type `scalar` that has these bits.
    pub fn from_bits(scalar: Scalar, bits: u64) -> Self {
        match scalar {
            Scalar::Bool => Constant::Bool(bits & 1 != 0),
            Scalar::I8 => Constant::I8(bits as u8 as i8),
            Scalar::U8 => Constant::U8(bits as u8),
            Scalar::I16 => Constant::I16(bits as u16 as i16),
            Scalar::U16 => Constant::U16(bits as u16),
            Scalar::F16 => Constant::F16(bits as u16),
            Scalar::I32 => Constant::I32(bits as u32 as i32),
            Scalar::U32 => Constant::U32(bits as u32),
            Scalar::I64 => Constant::I64(bits as i64),
            Scalar::U64 => Constant::U64(bits),
            Scalar::F32 => Constant::F32(f32::from_bits(bits as u32)),
            Scalar::F64 => Constant::F64(f64::from_bits(bits)),
        }
    }
    /// Zero (or false) of a type.
    pub fn zero(scalar: Scalar) -> Self {
        Constant::from_bits(scalar, 0)
    }
    /// The float nearest to `v`, of a float type; for an integer type, `v` converted as Rust's `as` does.
    pub fn from_f64(scalar: Scalar, v: f64) -> Self {
        match scalar {
            Scalar::Bool => Constant::Bool(v != 0.0),
            Scalar::I8 => Constant::I8(v as i8),
            Scalar::U8 => Constant::U8(v as u8),
            Scalar::I16 => Constant::I16(v as i16),
            Scalar::U16 => Constant::U16(v as u16),
            Scalar::F16 => Constant::F16(crate::math::half_from_f64(v)),
            Scalar::I32 => Constant::I32(v as i32),
            Scalar::U32 => Constant::U32(v as u32),
            Scalar::I64 => Constant::I64(v as i64),
            Scalar::U64 => Constant::U64(v as u64),
            Scalar::F32 => Constant::F32(v as f32),
            Scalar::F64 => Constant::F64(v),
        }
    }
    /// The integer `v`, wrapped to an integer type (or converted to a float type).
    pub fn from_i64(scalar: Scalar, v: i64) -> Self {
        match scalar {
            Scalar::F16 => Constant::F16(crate::math::half_from_f64(v as f64)),
            Scalar::F32 => Constant::F32(v as f32),
            Scalar::F64 => Constant::F64(v as f64),
            s => Constant::from_bits(s, v as u64),
        }
    }
    /// The value as a float, if it is a float.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Constant::F16(v) => Some(crate::math::half_to_f32(v) as f64),
            Constant::F32(v) => Some(v as f64),
            Constant::F64(v) => Some(v),
            _ => None,
        }
    }
    /// The value as an integer, if it is an integer that fits.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Constant::I8(v) => Some(v as i64),
            Constant::U8(v) => Some(v as i64),
            Constant::I16(v) => Some(v as i64),
            Constant::U16(v) => Some(v as i64),
            Constant::I32(v) => Some(v as i64),
            Constant::U32(v) => Some(v as i64),
            Constant::I64(v) => Some(v),
            Constant::U64(v) => i64::try_from(v).ok(),
            _ => None,
        }
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        self.scalar() == other.scalar() && self.bits() == other.bits()
    }
}
impl Eq for Constant {}
impl std::hash::Hash for Constant {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.scalar(), self.bits()).hash(state);
    }
}

/// One scalar of an array element and where it lies in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Component {
    /// Its type.
    pub scalar: Scalar,
    /// Bytes from the start of the element.
    pub offset: u32,
}

/// The layout of an array's element: its scalars, in order, with their places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    components: Vec<Component>,
    size: u32,
}

impl Element {
    /// An element that is one scalar.
    pub fn scalar(scalar: Scalar) -> Self {
        Element::packed(scalar, 1)
    }
    /// `count` scalars of one type, one after the other, as in a vector or a row-major matrix.
    pub fn packed(scalar: Scalar, count: u32) -> Self {
        let components = (0..count).map(|i| Component { scalar, offset: i * scalar.size() }).collect();
        Element { components, size: count * scalar.size() }
    }
    /// Any layout: each component aligned to its size and inside `size`, in ascending order, without
    /// overlap; `None` where that does not hold.
    pub fn with_layout(components: Vec<Component>, size: u32) -> Option<Self> {
        let mut end = 0;
        let mut align = 1;
        for c in &components {
            if c.offset < end || !c.offset.is_multiple_of(c.scalar.size()) {
                return None;
            }
            end = c.offset + c.scalar.size();
            align = align.max(c.scalar.size());
        }
        (end <= size && size.is_multiple_of(align)).then_some(Element { components, size })
    }
    /// Its scalars.
    pub fn components(&self) -> &[Component] {
        &self.components
    }
    /// Bytes from one element to the next.
    pub fn size(&self) -> u32 {
        self.size
    }
    /// If all components have one type and lie side by side: that type.
    pub fn packed_scalar(&self) -> Option<Scalar> {
        let first = self.components.first()?.scalar;
        (*self == Element::packed(first, self.components.len() as u32)).then_some(first)
    }
    /// Whether any component is a float, so that the array can have a cotangent.
    pub fn has_float(&self) -> bool {
        self.components.iter().any(|c| c.scalar.is_float())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.packed_scalar() {
            Some(s) if self.components.len() == 1 => write!(f, "{s}"),
            Some(s) => write!(f, "{s}x{}", self.components.len()),
            None => {
                write!(f, "{{")?;
                for c in &self.components {
                    write!(f, "{}@{}, ", c.scalar, c.offset)?;
                }
                write!(f, "size {}}}", self.size)
            }
        }
    }
}

/// What a kernel may do with an array parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Loads only.
    Read,
    /// Stores only.
    Write,
    /// Loads, stores and atomics.
    ReadWrite,
}

impl Access {
    /// Whether loads are allowed.
    pub fn reads(self) -> bool {
        self != Access::Write
    }
    /// Whether stores are allowed.
    pub fn writes(self) -> bool {
        self != Access::Read
    }
    /// The word of the text form.
    pub fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::ReadWrite => "readwrite",
        }
    }
}
