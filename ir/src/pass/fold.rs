//! What a pure op gives when its operands are constants.

use crate::kernel::OpKind;
use crate::types::{Constant, Scalar};

impl Constant {
    /// The constant converted as Rust's `as` does: floats to integers saturate, NaN gives 0.
    pub fn convert(self, to: Scalar) -> Constant {
        match (self, to) {
            (Constant::F16(v), _) if to == Scalar::F16 => Constant::F16(v),
            (Constant::F16(v), _) => Constant::F32(crate::math::half_to_f32(v)).convert(to),
            (Constant::F32(v), Scalar::F32) => Constant::F32(v),
            (Constant::F32(v), _) => Constant::from_f64(to, v as f64),
            (Constant::F64(v), _) => Constant::from_f64(to, v),
            (Constant::U64(v), Scalar::F32) => Constant::F32(v as f32),
            (Constant::U64(v), Scalar::F64 | Scalar::F16) => Constant::from_f64(to, v as f64),
            (Constant::U64(v), Scalar::Bool) => Constant::Bool(v != 0),
            (Constant::U64(v), _) => Constant::from_bits(to, v),
            (_, Scalar::Bool) => Constant::Bool(self.bits() != 0),
            (Constant::Bool(v), _) => Constant::from_i64(to, v as i64),
            // All other integers fit.
            _ => Constant::from_i64(to, self.as_i64().unwrap_or(0)),
        }
    }
}

/// The result of a pure op of constants; `None` where there is none (a zero divisor) or the op is not
/// a computation.
pub fn fold(kind: &OpKind, x: &[Constant]) -> Option<Constant> {
    match kind {
        OpKind::Float(op) => match x.first()? {
            Constant::F32(_) => {
                let x: Option<Vec<f32>> =
                    x.iter().map(|c| if let Constant::F32(v) = c { Some(*v) } else { None }).collect();
                Some(Constant::F32(op.value(&x?)))
            }
            Constant::F64(_) => {
                let x: Option<Vec<f64>> =
                    x.iter().map(|c| if let Constant::F64(v) = c { Some(*v) } else { None }).collect();
                Some(Constant::F64(op.value(&x?)))
            }
            _ => None,
        },
        OpKind::Int(op) => {
            let scalar = x.first()?.scalar();
            let bits: Vec<u64> = x.iter().map(|c| c.bits()).collect();
            op.value(scalar, &bits).map(|b| Constant::from_bits(scalar, b))
        }
        OpKind::Bool(op) => {
            let bit = |i: usize| x.get(i).is_some_and(|c| c.bits() != 0);
            Some(Constant::Bool(op.value(bit(0), bit(1))))
        }
        OpKind::Compare(op) => Some(Constant::Bool(op.value(*x.first()?, *x.get(1)?))),
        OpKind::Convert(to) => Some(x.first()?.convert(*to)),
        OpKind::Select => Some(if x.first()?.bits() != 0 { *x.get(1)? } else { *x.get(2)? }),
        _ => None,
    }
}
