//! The reference interpreter: runs any kernel, one thread at a time, in plain Rust.
//!
//! It is the oracle that back ends are tested against, so it is written to be obviously right rather
//! than fast: a table of values, ops in order, arrays as bytes.

mod memory;

pub use memory::ArrayData;

use crate::entity::{Op, RegionId, Value};
use crate::kernel::{Check, Kernel, OpData, OpKind, Order, ParamKind};
use crate::loc::{Loc, Located};
use crate::ops::IntOp;
use crate::pass::fold;
use crate::show::{format_print, print_value};
use crate::types::{Constant, Scalar};
use crate::verify::Verified;
use thiserror::Error;

/// An argument of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// For a scalar parameter.
    Scalar(Constant),
    /// For an array parameter; what the kernel writes is written here.
    Array(ArrayData),
}

/// What launches keep for their adjoints: an adjoint is given what the augmented primal made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// The kept values.
    pub values: Vec<Constant>,
    /// For each thread where its values begin.
    pub bases: Vec<i64>,
}

/// Why a run stopped, or what went wrong in it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InterpError {
    /// An argument does not fit its parameter.
    #[error("argument `{param}` of kernel `{kernel}`: {message}")]
    Argument {
        /// The kernel.
        kernel: String,
        /// The parameter.
        param: String,
        /// What does not fit.
        message: String,
    },
    /// The launch has another number of axes than the kernel.
    #[error("kernel `{kernel}` has {expected} launch axes, but {found} sizes are given")]
    Rank {
        /// The kernel.
        kernel: String,
        /// What the kernel has.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// An index outside an array. The run goes on (the load gives the first element, the store does
    /// nothing), and the first such error is reported.
    #[error(
        "kernel `{kernel}`: index {index} is outside axis {axis} of array `{array}`, of length {len} (thread {thread})"
    )]
    OutOfRange {
        /// The kernel.
        kernel: String,
        /// The array.
        array: String,
        /// The dimension.
        axis: usize,
        /// The index.
        index: i64,
        /// The length.
        len: usize,
        /// The linear thread id.
        thread: usize,
    },
    /// An integer division by zero. The run goes on with 0, as above.
    #[error("kernel `{kernel}`: integer division by zero (thread {thread})")]
    DivisionByZero {
        /// The kernel.
        kernel: String,
        /// The linear thread id.
        thread: usize,
    },
    /// Something that the user asserts does not hold. The run goes on, as above.
    #[error("kernel `{kernel}`: {text} (thread {thread})")]
    Assertion {
        /// The kernel.
        kernel: String,
        /// The user's words, or the condition.
        text: String,
        /// The linear thread id.
        thread: usize,
    },
    /// An index outside a vector, a matrix or a local array. The run goes on, as above.
    #[error("kernel `{kernel}`: index {index} of something with {count} components (thread {thread})")]
    Component {
        /// The kernel.
        kernel: String,
        /// The index.
        index: i64,
        /// How many components there are.
        count: u32,
        /// The linear thread id.
        thread: usize,
    },
    /// More ops than allowed.
    #[error("kernel `{kernel}` did not end within {fuel} ops (thread {thread})")]
    OutOfFuel {
        /// The kernel.
        kernel: String,
        /// The limit.
        fuel: u64,
        /// The linear thread id.
        thread: usize,
    },
    /// More values on the stack than allowed.
    #[error("kernel `{kernel}` keeps more than {limit} values on its stack (thread {thread})")]
    OutOfStack {
        /// The kernel.
        kernel: String,
        /// The limit.
        limit: usize,
        /// The linear thread id.
        thread: usize,
    },
    /// A stack that is popped more than pushed, or records that are not there: a broken pass.
    #[error("kernel `{kernel}`: {message}")]
    Broken {
        /// The kernel.
        kernel: String,
        /// What is broken.
        message: String,
    },
}

/// How a run is done.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most ops of all threads together.
    pub fuel: u64,
    /// The most values that a thread may have on its stack at a time.
    pub stack: usize,
    /// Takes what kernels print, line by line.
    pub print: fn(&str),
}

impl Default for Limits {
    fn default() -> Self {
        Limits { fuel: 1 << 40, stack: usize::MAX, print: |line| println!("{line}") }
    }
}

type Failure = Located<InterpError>;

/// Runs a kernel over a launch of these sizes. Arrays among the arguments are updated; `records` is
/// read by adjoints and written by augmented primals.
///
/// # Errors
/// See [`InterpError`]; the first in the order of the threads.
pub fn run(
    kernel: &Verified<'_>,
    sizes: &[usize],
    args: &mut [Arg],
    records: &mut Records,
    limits: &Limits,
) -> Result<(), Failure> {
    let kernel = kernel.kernel();
    check_args(kernel, sizes, args)?;
    let threads: usize = sizes.iter().product();
    let appends = uses(kernel, |kind| *kind == OpKind::Record);
    if appends {
        *records = Records { values: Vec::new(), bases: vec![0; threads] };
    }
    let mut machine = Machine {
        kernel,
        sizes,
        args,
        records,
        values: vec![Constant::Bool(false); kernel.values.len()],
        stack: Vec::new(),
        thread: 0,
        ids: vec![0; sizes.len()],
        fault: None,
        fuel: limits.fuel,
        limit: limits.fuel,
        stack_limit: limits.stack,
        print: limits.print,
    };
    for (param, arg) in kernel.params.iter().zip(machine.args.iter()) {
        if let (ParamKind::Scalar(_, value), Arg::Scalar(c)) = (&param.kind, arg) {
            machine.values[value.0 as usize] = *c;
        }
    }
    for i in 0..threads {
        let thread = if kernel.order == Order::Descending { threads - 1 - i } else { i };
        machine.thread = thread;
        let mut rest = thread;
        for (id, &size) in machine.ids.iter_mut().zip(sizes).rev() {
            *id = (rest % size) as i64;
            rest /= size;
        }
        if appends {
            machine.records.bases[thread] = machine.records.values.len() as i64;
        }
        machine.stack.clear();
        machine.region(kernel.body)?;
    }
    machine.fault.map_or(Ok(()), |(_, fault)| Err(fault))
}

fn uses(kernel: &Kernel, found: impl Fn(&OpKind) -> bool) -> bool {
    let mut any = false;
    kernel.walk(kernel.body, &mut |_, data| any |= found(&data.kind));
    any
}

fn check_args(kernel: &Kernel, sizes: &[usize], args: &[Arg]) -> Result<(), Failure> {
    let fail = |what| Err(Located { what, loc: None });
    if sizes.len() != kernel.rank as usize {
        let (expected, found) = (kernel.rank as usize, sizes.len());
        return fail(InterpError::Rank { kernel: kernel.name.clone(), expected, found });
    }
    for (i, param) in kernel.params.iter().enumerate() {
        let message = match (&param.kind, args.get(i)) {
            (ParamKind::Scalar(scalar, _), Some(Arg::Scalar(c))) if c.scalar() == *scalar => continue,
            (ParamKind::Array { element, rank, .. }, Some(Arg::Array(data)))
                if data.element() == element && data.shape().len() == *rank as usize =>
            {
                continue;
            }
            (_, None) => "missing".to_owned(),
            (kind, Some(arg)) => format!("{arg:?} does not fit {kind:?}"),
        };
        return fail(InterpError::Argument { kernel: kernel.name.clone(), param: param.name.clone(), message });
    }
    Ok(())
}

struct Machine<'a> {
    kernel: &'a Kernel,
    sizes: &'a [usize],
    args: &'a mut [Arg],
    records: &'a mut Records,
    values: Vec<Constant>,
    stack: Vec<Constant>,
    stack_limit: usize,
    thread: usize,
    ids: Vec<i64>,
    /// The first fault by thread, whatever order they run in.
    fault: Option<(usize, Failure)>,
    fuel: u64,
    limit: u64,
    print: fn(&str),
}

impl Machine<'_> {
    fn get(&self, value: Value) -> Constant {
        self.values[value.0 as usize]
    }
    fn set(&mut self, value: Value, c: Constant) {
        self.values[value.0 as usize] = c;
    }
    fn get_all(&self, values: &[Value]) -> Vec<Constant> {
        values.iter().map(|&v| self.get(v)).collect()
    }
    fn set_all(&mut self, values: &[Value], constants: &[Constant]) {
        for (&v, &c) in values.iter().zip(constants) {
            self.set(v, c);
        }
    }
    fn int(&self, value: Value) -> i64 {
        // Verified: an i64.
        self.get(value).bits() as i64
    }

    fn note(&mut self, loc: Option<Loc>, what: InterpError) {
        if self.fault.as_ref().is_none_or(|(thread, _)| self.thread < *thread) {
            self.fault = Some((self.thread, Located { what, loc }));
        }
    }
    fn broken(&self, loc: Option<Loc>, message: &str) -> Failure {
        let what = InterpError::Broken { kernel: self.kernel.name.clone(), message: message.into() };
        Located { what, loc }
    }

    /// Runs a region; what it yields.
    fn region(&mut self, region: RegionId) -> Result<Vec<Constant>, Failure> {
        let kernel = self.kernel;
        for &op in &kernel.regions[region].ops {
            self.op(op)?;
        }
        Ok(self.get_all(kernel.yields(region)))
    }

    fn op(&mut self, op: Op) -> Result<(), Failure> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        if self.fuel == 0 {
            let (name, fuel, thread) = (kernel.name.clone(), self.limit, self.thread);
            return Err(Located { what: InterpError::OutOfFuel { kernel: name, fuel, thread }, loc: data.loc });
        }
        self.fuel -= 1;
        match data.kind {
            OpKind::Yield => {}
            OpKind::Const(c) => self.set(data.results[0], c),
            OpKind::ThreadId(axis) => self.set(data.results[0], Constant::I64(self.ids[axis as usize])),
            OpKind::LaunchSize(axis) => {
                self.set(data.results[0], Constant::I64(self.sizes[axis as usize] as i64));
            }
            OpKind::Len { array, axis } => {
                if let Arg::Array(a) = &self.args[array as usize] {
                    let len = a.shape()[axis as usize] as i64;
                    self.set(data.results[0], Constant::I64(len));
                }
            }
            OpKind::Float(_)
            | OpKind::Int(_)
            | OpKind::Bool(_)
            | OpKind::Compare(_)
            | OpKind::Convert(_)
            | OpKind::Select => self.pure(data),
            OpKind::Load { .. } | OpKind::Store { .. } | OpKind::Atomic { .. } => self.access(data),
            OpKind::If => {
                let arm = if self.get(data.operands[0]).bits() != 0 { 0 } else { 1 };
                let yields = self.region(data.regions[arm])?;
                self.set_all(&data.results, &yields);
            }
            OpKind::For => self.for_op(data)?,
            OpKind::While => self.while_op(data)?,
            OpKind::Custom => {
                let region = data.regions[0];
                let inputs = self.get_all(&data.operands);
                self.set_all(&kernel.regions[region].args, &inputs);
                let outputs = self.region(region)?;
                self.set_all(&data.results, &outputs);
            }
            OpKind::Check(ref check) => self.check(data, check),
            OpKind::Print(ref text) => {
                let mut values = self.get_all(&data.operands).into_iter();
                let text =
                    format_print(text, &mut |style| values.next().map_or_else(String::new, |c| print_value(c, style)));
                let ids: Vec<String> = self.ids.iter().map(i64::to_string).collect();
                (self.print)(&format!("{}[{}]: {}", kernel.name, ids.join(", "), text.unwrap_or_default()));
            }
            OpKind::Push { .. } => {
                let values = self.get_all(&data.operands);
                self.stack.extend(values);
                if self.stack.len() > self.stack_limit {
                    let (limit, thread) = (self.stack_limit, self.thread);
                    let what = InterpError::OutOfStack { kernel: kernel.name.clone(), limit, thread };
                    return Err(Located { what, loc: data.loc });
                }
            }
            OpKind::Pop { .. } => {
                let Some(first) = self.stack.len().checked_sub(data.results.len()) else {
                    return Err(self.broken(data.loc, "pop from an empty stack"));
                };
                let values = self.stack.split_off(first);
                let types: Vec<Scalar> = values.iter().map(|c| c.scalar()).collect();
                if types != data.results.iter().map(|&v| kernel.scalar(v)).collect::<Vec<_>>() {
                    return Err(self.broken(data.loc, "pop of what another push left"));
                }
                self.set_all(&data.results, &values);
            }
            OpKind::Drop { width, .. } => {
                let count = self.get_all(&data.operands).first().and_then(|c| c.as_i64());
                let dropped = count.and_then(|n| usize::try_from(n).ok()).and_then(|n| n.checked_mul(width as usize));
                let Some(rest) = dropped.and_then(|n| self.stack.len().checked_sub(n)) else {
                    return Err(self.broken(data.loc, "drop of more than the stack holds"));
                };
                self.stack.truncate(rest);
            }
            OpKind::Record => {
                let values = self.get_all(&data.operands);
                self.records.values.extend(values);
            }
            OpKind::ResidualBase => {
                let Some(&base) = self.records.bases.get(self.thread) else {
                    return Err(self.broken(data.loc, "no records for this thread"));
                };
                self.set(data.results[0], Constant::I64(base));
            }
            OpKind::Residual => {
                let at = self.int(data.operands[0]) as usize;
                for (k, &result) in data.results.iter().enumerate() {
                    match self.records.values.get(at + k) {
                        Some(&c) if c.scalar() == kernel.scalar(result) => self.set(result, c),
                        _ => return Err(self.broken(data.loc, "no such record")),
                    }
                }
            }
        }
        Ok(())
    }

    fn check(&mut self, data: &OpData, check: &Check) {
        if self.get(data.operands[0]).bits() != 0 {
            return;
        }
        let (kernel, thread) = (self.kernel.name.clone(), self.thread);
        let fault = match check {
            Check::Assert(text) => InterpError::Assertion { kernel, text: text.clone(), thread },
            Check::Component { count } => {
                let index = self.int(data.operands[1]);
                InterpError::Component { kernel, index, count: *count, thread }
            }
        };
        self.note(data.loc, fault);
    }

    fn pure(&mut self, data: &OpData) {
        let x = self.get_all(&data.operands);
        let value = match fold(&data.kind, &x) {
            Some(value) => value,
            None => {
                debug_assert!(matches!(data.kind, OpKind::Int(IntOp::Div | IntOp::Rem)));
                let (kernel, thread) = (self.kernel.name.clone(), self.thread);
                self.note(data.loc, InterpError::DivisionByZero { kernel, thread });
                Constant::zero(self.kernel.scalar(data.results[0]))
            }
        };
        self.set(data.results[0], value);
    }

    fn access(&mut self, data: &OpData) {
        let (array, component) = match data.kind {
            OpKind::Load { array, component } | OpKind::Store { array, component } => (array, component),
            OpKind::Atomic { array, component, .. } => (array, Some(component)),
            _ => return,
        };
        let param = &self.kernel.params[array as usize];
        let rank = param.array().map_or(0, |(_, rank, _)| rank as usize);
        let indices: Vec<i64> = data.operands[..rank].iter().map(|&v| self.int(v)).collect();
        let operands = self.get_all(&data.operands[rank..]);
        let Arg::Array(memory) = &mut self.args[array as usize] else { return };
        let count = memory.element().components().len() as u32;
        let components = match component {
            Some(c) => c..c + 1,
            None => 0..count,
        };
        let outside = memory.outside(&indices);
        let at = if outside.is_some() { vec![0; rank] } else { indices.clone() };
        let len = |axis: usize| memory.shape()[axis];
        let fault = outside.map(|axis| InterpError::OutOfRange {
            kernel: self.kernel.name.clone(),
            array: param.name.clone(),
            axis,
            index: indices[axis],
            len: len(axis),
            thread: self.thread,
        });
        let mut loaded = Vec::new();
        for (k, c) in components.enumerate() {
            match data.kind {
                OpKind::Load { .. } => loaded.push(memory.get(&at, c)),
                OpKind::Store { .. } if fault.is_none() => memory.set(&at, c, operands[k]),
                OpKind::Atomic { op, .. } => {
                    let old = memory.get(&at, c);
                    loaded.push(old);
                    if fault.is_none() {
                        memory.set(&at, c, op.value(old, &operands));
                    }
                }
                _ => {}
            }
        }
        self.set_all(&data.results, &loaded);
        if let Some(fault) = fault {
            self.note(data.loc, fault);
        }
    }

    fn for_op(&mut self, data: &OpData) -> Result<(), Failure> {
        let kernel = self.kernel;
        let bounds = self.get_all(&data.operands[..3]);
        let scalar = bounds[0].scalar();
        let wide = |c: Constant| match scalar {
            s if s.is_signed() => i128::from(c.as_i64().unwrap_or(0)),
            _ => i128::from(c.bits()),
        };
        let (mut at, high, step) = (wide(bounds[0]), wide(bounds[1]), wide(bounds[2]));
        let mut carried = self.get_all(&data.operands[3..]);
        let region = data.regions[0];
        let args = &kernel.regions[region].args;
        while at < high {
            self.set(args[0], Constant::from_bits(scalar, at as u64));
            self.set_all(&args[1..], &carried);
            carried = self.region(region)?;
            at += step.max(1);
        }
        self.set_all(&data.results, &carried);
        Ok(())
    }

    fn while_op(&mut self, data: &OpData) -> Result<(), Failure> {
        let kernel = self.kernel;
        let mut carried = self.get_all(&data.operands);
        let (cond, body) = (data.regions[0], data.regions[1]);
        loop {
            self.set_all(&kernel.regions[cond].args, &carried);
            if self.region(cond)?[0].bits() == 0 {
                break;
            }
            self.set_all(&kernel.regions[body].args, &carried);
            carried = self.region(body)?;
        }
        self.set_all(&data.results, &carried);
        Ok(())
    }
}
