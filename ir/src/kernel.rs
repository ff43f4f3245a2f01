//! Kernels, their regions and ops.
//!
//! A kernel owns everything in dense arenas; passes read one kernel and build another.

use crate::entity::{EntityVec, Op, RegionId, Value};
use crate::loc::Loc;
use crate::ops::{AtomicOp, BoolOp, Compare, FloatOp, IntOp};
use crate::types::{Access, Constant, Element, Scalar};

/// The order in which a kernel's threads must seem to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Any order, several at once: no two threads touch the same memory, if it is written.
    Parallel,
    /// One after the other, linear thread ids ascending.
    #[default]
    Ascending,
    /// One after the other, linear thread ids descending: the adjoint of an ascending kernel.
    Descending,
}

/// A kernel: what one thread does, as a function of its id and the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The user's name for it.
    pub name: String,
    /// Number of axes of its launch: 1 to 4.
    pub rank: u8,
    /// The order its threads run in; the front end leaves it to [`crate::access::order`].
    pub order: Order,
    /// The parameters, in the order of the call.
    pub params: Vec<Param>,
    /// All ops.
    pub ops: EntityVec<Op, OpData>,
    /// All values.
    pub values: EntityVec<Value, ValueData>,
    /// All regions.
    pub regions: EntityVec<RegionId, RegionData>,
    /// The region that a thread runs; no arguments, yields nothing.
    pub body: RegionId,
}

/// One parameter of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The user's name for it.
    pub name: String,
    /// Scalar or array.
    pub kind: ParamKind,
}

/// What a parameter is.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamKind {
    /// A scalar, the same for all threads, and the value that holds it.
    Scalar(Scalar, Value),
    /// An array.
    Array {
        /// The layout of one element.
        element: Element,
        /// Number of dimensions: 1 to 4.
        rank: u8,
        /// What the kernel may do with it.
        access: Access,
    },
}

impl Param {
    /// Element, rank and access, if it is an array.
    pub fn array(&self) -> Option<(&Element, u8, Access)> {
        match &self.kind {
            ParamKind::Array { element, rank, access } => Some((element, *rank, *access)),
            ParamKind::Scalar(..) => None,
        }
    }
}

/// A list of ops that runs from first to last; the last is a `yield`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RegionData {
    /// The values that the op which holds the region gives to it.
    pub args: Vec<Value>,
    /// The ops.
    pub ops: Vec<Op>,
}

/// A value's type and origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueData {
    /// Its type.
    pub scalar: Scalar,
    /// Where it comes from.
    pub def: ValueDef,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// A scalar parameter (its index).
    Param(u32),
    /// A region's argument.
    Arg(RegionId, u32),
    /// A result of an op.
    Result(Op, u32),
}

/// One op.
#[derive(Clone, Debug, PartialEq)]
pub struct OpData {
    /// What it does.
    pub kind: OpKind,
    /// The values it takes.
    pub operands: Vec<Value>,
    /// The values it makes.
    pub results: Vec<Value>,
    /// The regions it holds.
    pub regions: Vec<RegionId>,
    /// The user's expression that it comes from.
    pub loc: Option<Loc>,
}

/// What an op of kind [`OpKind::Check`] makes sure of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// What the user asserts. Operand: the condition. Holds the message.
    Assert(String),
    /// An index into something that is no array, but a vector, a matrix or a local array. Operands: whether
    /// it is in range, the index (`i64`).
    Component {
        /// How many there are.
        count: u32,
    },
}

/// What an op does. Array parameters are named by their index in [`Kernel::params`].
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    /// A constant.
    Const(Constant),
    /// Float arithmetic: operands and result of one float type.
    Float(FloatOp),
    /// Integer arithmetic: operands and result of one integer type.
    Int(IntOp),
    /// Logic.
    Bool(BoolOp),
    /// Comparison of two values of one type; a bool. With a NaN only `ne` is true.
    Compare(Compare),
    /// Conversion to this type as Rust's `as` does it: floats to integers saturate, NaN gives 0.
    Convert(Scalar),
    /// `select cond, a, b`: a if cond, else b; both are computed.
    Select,
    /// This thread's id along an axis of the launch: `i64`.
    ThreadId(u8),
    /// The launch's size along an axis: `i64`.
    LaunchSize(u8),
    /// The length of an array along an axis: `i64`.
    Len {
        /// Index of the parameter.
        array: u32,
        /// Axis, from 0.
        axis: u8,
    },
    /// Operands: one `i64` index a dimension. Results: the component, or all of them.
    Load {
        /// Index of the parameter.
        array: u32,
        /// One component, or all.
        component: Option<u32>,
    },
    /// Operands: the indices, then the component's value, or all components' values.
    Store {
        /// Index of the parameter.
        array: u32,
        /// One component, or all.
        component: Option<u32>,
    },
    /// Operands: the indices, then the value (of a compare-exchange: what is expected, then the value).
    /// Result: what the component held before.
    Atomic {
        /// How the value meets what is there.
        op: AtomicOp,
        /// Index of the parameter.
        array: u32,
        /// The component.
        component: u32,
    },
    /// Operand: the condition. Regions: then, else, without arguments; results are what they yield.
    If,
    /// Operands: low, high, step (integers of one type, step > 0), then initial values. The region has
    /// the counter and the carried values as arguments and yields the next carried values; results
    /// are the last carried values.
    For,
    /// Operands: initial values. Region 0 takes the carried values and yields whether to go on; region
    /// 1 takes them and yields the next ones; results are the last carried values.
    While,
    /// A computation with a derivative of its own. Operands: its inputs. The first region takes them and
    /// yields the results. The last one is the adjoint: it takes the inputs, the outputs and the
    /// cotangents of those outputs that are floats, and yields the cotangents of those inputs that are
    /// floats. If there are three, the one between yields the outputs as the adjoint, and whatever else
    /// is differentiated, sees them. The regions touch no memory and see no values but their arguments.
    Custom,
    /// Makes sure that the first operand, a bool, holds; if not, the launch fails.
    Check(Check),
    /// Prints a line, with the operands in the places that the text marks by `{}`, `{:?}` or `{:.3}`.
    Print(String),
    /// The end of a region; operands are what it yields.
    Yield,
    /// Puts the operands on the thread's stack. A site has one pop at most; all its pushes are alike.
    Push {
        /// Names what belongs together.
        site: u32,
    },
    /// Takes from the thread's stack what a push of this site put there last.
    Pop {
        /// Names what belongs together.
        site: u32,
    },
    /// Throws away what the last pushes of this site put on the thread's stack: as many of them as the
    /// operand (`i64`) says.
    Drop {
        /// Names what belongs together.
        site: u32,
        /// How many values each push of the site puts there.
        width: u32,
    },
    /// Appends the operands to what this launch keeps for its adjoint, in this thread's stretch.
    Record,
    /// Where this thread's stretch of the kept values begins: `i64`.
    ResidualBase,
    /// Reads kept values: operand the position (`i64`), results the scalars from there on, each of
    /// them one position.
    Residual,
}

impl OpKind {
    /// Whether the op has no effect and holds no regions, so that it may be repeated or dropped. Two pure
    /// ops must not be done where they were not before: an integer division, as a zero divisor is an
    /// error of the launch, and a residual, as there may be none.
    pub fn is_pure(&self) -> bool {
        match self {
            OpKind::Const(_)
            | OpKind::Float(_)
            | OpKind::Int(_)
            | OpKind::Bool(_)
            | OpKind::Compare(_)
            | OpKind::Convert(_)
            | OpKind::Select
            | OpKind::ThreadId(_)
            | OpKind::LaunchSize(_)
            | OpKind::Len { .. }
            | OpKind::ResidualBase
            | OpKind::Residual => true,
            OpKind::Load { .. }
            | OpKind::Store { .. }
            | OpKind::Atomic { .. }
            | OpKind::If
            | OpKind::For
            | OpKind::While
            | OpKind::Custom
            | OpKind::Check(_)
            | OpKind::Print(_)
            | OpKind::Yield
            | OpKind::Push { .. }
            | OpKind::Pop { .. }
            | OpKind::Drop { .. }
            | OpKind::Record => false,
        }
    }
}

impl Kernel {
    /// The type of a value.
    pub fn scalar(&self, value: Value) -> Scalar {
        self.values[value].scalar
    }
    /// The op that made a value, if one did.
    pub fn def_op(&self, value: Value) -> Option<Op> {
        match self.values[value].def {
            ValueDef::Result(op, _) => Some(op),
            ValueDef::Param(_) | ValueDef::Arg(..) => None,
        }
    }
    /// The constant that a value is, if it is one.
    pub fn constant(&self, value: Value) -> Option<Constant> {
        match self.ops[self.def_op(value)?].kind {
            OpKind::Const(c) => Some(c),
            _ => None,
        }
    }
    /// The values that a region yields.
    pub fn yields(&self, region: RegionId) -> &[Value] {
        match self.regions[region].ops.last() {
            Some(&op) => &self.ops[op].operands,
            None => &[],
        }
    }
    /// The parameter with this name.
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }
    /// Calls `f` for every op of a region and of the regions inside it, in program order, an op
    /// before what it holds.
    pub fn walk(&self, region: RegionId, f: &mut impl FnMut(Op, &OpData)) {
        for &op in &self.regions[region].ops {
            let data = &self.ops[op];
            f(op, data);
            for &inner in &data.regions {
                self.walk(inner, f);
            }
        }
    }
}
