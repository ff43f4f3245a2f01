//! Makes kernels op by op.
//!
//! The builder holds a stack of open regions and appends to the innermost. It checks nothing that the
//! verifier checks; result types follow from the op and its operands.

use crate::entity::{EntityVec, Op, RegionId, Value};
use crate::kernel::{Kernel, OpData, OpKind, Order, Param, ParamKind, RegionData, ValueData, ValueDef};
use crate::loc::Loc;
use crate::ops::{AtomicOp, BoolOp, Compare, FloatOp, IntOp};
use crate::types::{Access, Constant, Element, Scalar};

/// Builds one kernel. See the methods; [`Builder::finish`] gives the kernel.
#[derive(Debug)]
pub struct Builder {
    kernel: Kernel,
    open: Vec<RegionId>,
    loc: Option<Loc>,
}

impl Builder {
    /// Starts a kernel with a launch of `rank` axes.
    pub fn new(name: impl Into<String>, rank: u8) -> Self {
        let mut regions = EntityVec::new();
        let body = regions.push(RegionData::default());
        let kernel = Kernel {
            name: name.into(),
            rank,
            order: Order::Ascending,
            params: Vec::new(),
            ops: EntityVec::new(),
            values: EntityVec::new(),
            regions,
            body,
        };
        Builder { kernel, open: vec![body], loc: None }
    }

    /// The kernel as built so far.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }
    /// Sets the number of launch axes.
    pub fn set_rank(&mut self, rank: u8) {
        self.kernel.rank = rank;
    }
    /// Sets the order of the threads.
    pub fn set_order(&mut self, order: Order) {
        self.kernel.order = order;
    }
    /// The place that the next ops come from.
    pub fn set_loc(&mut self, loc: Option<Loc>) {
        self.loc = loc;
    }
    /// The place that the next ops come from.
    pub fn loc(&self) -> Option<Loc> {
        self.loc
    }

    /// Adds a scalar parameter; the value that holds it.
    pub fn scalar_param(&mut self, name: impl Into<String>, scalar: Scalar) -> Value {
        let index = self.kernel.params.len() as u32;
        let value = self.kernel.values.push(ValueData { scalar, def: ValueDef::Param(index) });
        self.kernel.params.push(Param { name: name.into(), kind: ParamKind::Scalar(scalar, value) });
        value
    }
    /// Adds an array parameter; its index.
    pub fn array_param(&mut self, name: impl Into<String>, element: Element, rank: u8, access: Access) -> u32 {
        self.kernel.params.push(Param { name: name.into(), kind: ParamKind::Array { element, rank, access } });
        self.kernel.params.len() as u32 - 1
    }

    /// Opens a region inside the current one; the values of its arguments. Ops go there until [`Builder::close`].
    pub fn open(&mut self, args: &[Scalar]) -> Vec<Value> {
        let region = self.kernel.regions.push(RegionData::default());
        let values: Vec<Value> = args
            .iter()
            .enumerate()
            .map(|(i, &scalar)| self.kernel.values.push(ValueData { scalar, def: ValueDef::Arg(region, i as u32) }))
            .collect();
        self.kernel.regions[region].args = values.clone();
        self.open.push(region);
        values
    }
    /// Ends the innermost open region with a yield of these values.
    pub fn close(&mut self, yields: &[Value]) -> RegionId {
        self.push(OpKind::Yield, yields.to_vec(), &[], Vec::new());
        match self.open.len() {
            1 => self.kernel.body,
            _ => self.open.pop().unwrap_or(self.kernel.body),
        }
    }
    /// Leaves the innermost open region without a yield; [`Builder::resume`] goes on with it.
    pub fn suspend(&mut self) -> RegionId {
        match self.open.len() {
            1 => self.kernel.body,
            _ => self.open.pop().unwrap_or(self.kernel.body),
        }
    }
    /// Goes on with a region that was suspended.
    pub fn resume(&mut self, region: RegionId) {
        self.open.push(region);
    }
    /// How many regions are open, the body included.
    pub fn depth(&self) -> usize {
        self.open.len()
    }
    /// The innermost open region.
    pub fn current(&self) -> RegionId {
        self.open.last().copied().unwrap_or(self.kernel.body)
    }
    /// Ends the body and gives the kernel.
    pub fn finish(mut self) -> Kernel {
        self.close(&[]);
        self.kernel
    }

    /// Appends any op with results of these types; its handle. The named methods are handier.
    pub fn push(&mut self, kind: OpKind, operands: Vec<Value>, results: &[Scalar], regions: Vec<RegionId>) -> Op {
        let loc = self.loc;
        let op = self.kernel.ops.push(OpData { kind, operands, results: Vec::new(), regions, loc });
        let values = results
            .iter()
            .enumerate()
            .map(|(i, &scalar)| self.kernel.values.push(ValueData { scalar, def: ValueDef::Result(op, i as u32) }))
            .collect();
        self.kernel.ops[op].results = values;
        let region = self.current();
        self.kernel.regions[region].ops.push(op);
        op
    }
    fn push_one(&mut self, kind: OpKind, operands: Vec<Value>, result: Scalar) -> Value {
        let op = self.push(kind, operands, &[result], Vec::new());
        self.kernel.ops[op].results[0]
    }
    fn push_many(
        &mut self,
        kind: OpKind,
        operands: Vec<Value>,
        results: &[Scalar],
        regions: Vec<RegionId>,
    ) -> Vec<Value> {
        let op = self.push(kind, operands, results, regions);
        self.kernel.ops[op].results.clone()
    }
    /// The type of a value.
    pub fn scalar(&self, value: Value) -> Scalar {
        self.kernel.scalar(value)
    }

    /// A constant.
    pub fn constant(&mut self, c: Constant) -> Value {
        self.push_one(OpKind::Const(c), vec![], c.scalar())
    }
    /// A constant of a float type.
    pub fn float_constant(&mut self, scalar: Scalar, v: f64) -> Value {
        self.constant(Constant::from_f64(scalar, v))
    }
    /// An `i64` constant.
    pub fn index_constant(&mut self, v: i64) -> Value {
        self.constant(Constant::I64(v))
    }
    /// Float arithmetic.
    pub fn float(&mut self, op: FloatOp, operands: &[Value]) -> Value {
        let scalar = self.scalar(operands[0]);
        self.push_one(OpKind::Float(op), operands.to_vec(), scalar)
    }
    /// Integer arithmetic.
    pub fn int(&mut self, op: IntOp, operands: &[Value]) -> Value {
        let scalar = self.scalar(operands[0]);
        self.push_one(OpKind::Int(op), operands.to_vec(), scalar)
    }
    /// Logic.
    pub fn bool(&mut self, op: BoolOp, operands: &[Value]) -> Value {
        self.push_one(OpKind::Bool(op), operands.to_vec(), Scalar::Bool)
    }
    /// Comparison.
    pub fn compare(&mut self, op: Compare, a: Value, b: Value) -> Value {
        self.push_one(OpKind::Compare(op), vec![a, b], Scalar::Bool)
    }
    /// Conversion; the value itself if it has the type already.
    pub fn convert(&mut self, to: Scalar, a: Value) -> Value {
        if self.scalar(a) == to { a } else { self.push_one(OpKind::Convert(to), vec![a], to) }
    }
    /// `a` if `cond`, else `b`.
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let scalar = self.scalar(a);
        self.push_one(OpKind::Select, vec![cond, a, b], scalar)
    }
    /// The thread's id along an axis.
    pub fn thread_id(&mut self, axis: u8) -> Value {
        self.push_one(OpKind::ThreadId(axis), vec![], Scalar::I64)
    }
    /// The launch's size along an axis.
    pub fn launch_size(&mut self, axis: u8) -> Value {
        self.push_one(OpKind::LaunchSize(axis), vec![], Scalar::I64)
    }
    /// An array's length along an axis.
    pub fn len(&mut self, array: u32, axis: u8) -> Value {
        self.push_one(OpKind::Len { array, axis }, vec![], Scalar::I64)
    }
    fn component_types(&self, array: u32, component: Option<u32>) -> Vec<Scalar> {
        let all = match &self.kernel.params[array as usize].kind {
            ParamKind::Array { element, .. } => element.components(),
            ParamKind::Scalar(..) => &[],
        };
        match component {
            Some(c) => all.get(c as usize).map(|c| c.scalar).into_iter().collect(),
            None => all.iter().map(|c| c.scalar).collect(),
        }
    }
    /// Loads all components of an element.
    pub fn load(&mut self, array: u32, indices: &[Value]) -> Vec<Value> {
        let types = self.component_types(array, None);
        self.push_many(OpKind::Load { array, component: None }, indices.to_vec(), &types, vec![])
    }
    /// Loads one component of an element.
    pub fn load_component(&mut self, array: u32, indices: &[Value], component: u32) -> Value {
        let types = self.component_types(array, Some(component));
        self.push_many(OpKind::Load { array, component: Some(component) }, indices.to_vec(), &types, vec![])[0]
    }
    /// Stores all components of an element.
    pub fn store(&mut self, array: u32, indices: &[Value], values: &[Value]) {
        let operands = [indices, values].concat();
        self.push(OpKind::Store { array, component: None }, operands, &[], vec![]);
    }
    /// Stores one component of an element.
    pub fn store_component(&mut self, array: u32, indices: &[Value], component: u32, value: Value) {
        let operands = [indices, &[value]].concat();
        self.push(OpKind::Store { array, component: Some(component) }, operands, &[], vec![]);
    }
    /// Updates one component of an element; what it held before.
    pub fn atomic(&mut self, op: AtomicOp, array: u32, indices: &[Value], component: u32, value: Value) -> Value {
        let operands = [indices, &[value]].concat();
        let scalar = self.scalar(value);
        self.push_one(OpKind::Atomic { op, array, component }, operands, scalar)
    }
    /// Sets one component of an element to `new` if it equals `expected`; what it held before.
    pub fn compare_exchange(
        &mut self,
        array: u32,
        indices: &[Value],
        component: u32,
        expected: Value,
        new: Value,
    ) -> Value {
        let operands = [indices, &[expected, new]].concat();
        let scalar = self.scalar(new);
        self.push_one(OpKind::Atomic { op: AtomicOp::CompareExchange, array, component }, operands, scalar)
    }
    /// A computation with a derivative of its own, of two or three closed regions: see [`OpKind::Custom`].
    pub fn custom(&mut self, inputs: &[Value], regions: Vec<RegionId>) -> Vec<Value> {
        let types = regions.first().map_or_else(Vec::new, |&r| self.yield_types(r));
        self.push_many(OpKind::Custom, inputs.to_vec(), &types, regions)
    }
    fn yield_types(&self, region: RegionId) -> Vec<Scalar> {
        self.kernel.yields(region).iter().map(|&v| self.kernel.scalar(v)).collect()
    }
    /// An `if` of two closed regions.
    pub fn if_op(&mut self, cond: Value, then: RegionId, otherwise: RegionId) -> Vec<Value> {
        let types = self.yield_types(then);
        self.push_many(OpKind::If, vec![cond], &types, vec![then, otherwise])
    }
    /// A `for` with a closed region.
    pub fn for_op(&mut self, low: Value, high: Value, step: Value, inits: &[Value], body: RegionId) -> Vec<Value> {
        let types = self.yield_types(body);
        self.push_many(OpKind::For, [&[low, high, step], inits].concat(), &types, vec![body])
    }
    /// A `while` with two closed regions.
    pub fn while_op(&mut self, inits: &[Value], cond: RegionId, body: RegionId) -> Vec<Value> {
        let types = self.yield_types(body);
        self.push_many(OpKind::While, inits.to_vec(), &types, vec![cond, body])
    }
}
