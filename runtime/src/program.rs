//! A kernel with what was compiled from it. It hangs on the kernel's handle, so that a launch finds it
//! without a look-up.

use crate::error::Error;
use pullback_autodiff::{Adjoint, Request, TangentRequest, forward, reverse};
use pullback_codegen::{Compiled, Cpu, Options, Requirement, compile, requirements};
use pullback_ir::access::{self, ArrayFacts};
use pullback_ir::{AtomicOp, Handle, Kernel, OpKind, Order, verify};
use pullback_lang::KernelHandle;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A kernel and its compiled variants.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) kernel: Kernel,
    pub(crate) order: Order,
    pub(crate) facts: Vec<ArrayFacts>,
    /// Array lengths that must not be less than launch sizes for the variant without checks of them.
    pub(crate) requirements: Vec<Requirement>,
    /// The parameters that are arrays, as bits.
    pub(crate) arrays: u64,
    /// The arrays that its threads share only by adding floats to them, if all that they share is of
    /// this kind: then the threads may run in parts, each with sums of its own.
    pub(crate) sums: Option<Vec<u32>>,
    /// Whether it appends to its launch's records.
    pub(crate) records: bool,
    /// A rough number of operations a thread does.
    pub(crate) cost: usize,
    /// The variant that nearly all launches take: contiguous arrays, thread ids in range.
    common: OnceLock<Result<Compiled, Error>>,
    others: Mutex<Vec<(Options, Arc<Compiled>)>>,
    differentiated: OnceLock<Result<Arc<Differentiated>, Error>>,
    /// Tangent kernels, by the parameters that have tangents and the number of directions.
    tangents: Mutex<Vec<TangentKernel>>,
}

/// The parameters with tangents, the number of directions, and the kernel.
type TangentKernel = (Vec<bool>, usize, Arc<KernelHandle>);

/// A kernel's adjoint, and the forward kernel that goes with it.
#[derive(Debug)]
pub(crate) struct Differentiated {
    pub(crate) adjoint: Adjoint,
    /// The primal with its records, if it must keep any.
    pub(crate) augmented: Option<Program>,
    pub(crate) backward: Program,
}

impl Program {
    /// The program of a kernel's handle, made the first time.
    pub(crate) fn of(handle: &KernelHandle) -> Result<&Program, Error> {
        if handle.compiled().get().is_none() {
            let kernel = handle.kernel().map_err(Clone::clone)?;
            let program = Program::new(kernel.clone())?;
            // If another thread was faster, its program stays.
            let _ = handle.compiled().set(Arc::new(program));
        }
        let found = handle.compiled().get().and_then(|p| p.downcast_ref::<Program>());
        found.ok_or_else(|| Error::Compile {
            kernel: handle.name().into(),
            message: "another runtime has claimed this kernel's handle".into(),
        })
    }

    pub(crate) fn new(kernel: Kernel) -> Result<Self, Error> {
        if let Err(faults) = verify(&kernel) {
            return Err(Error::Compile { kernel: kernel.name.clone(), message: faults.to_string() });
        }
        // An adjoint brings its order, a primal's follows from what it touches; where the threads do
        // not disturb each other none is needed.
        let order = match (kernel.order, access::order(&kernel)) {
            (Order::Descending, Order::Ascending) => Order::Descending,
            (_, order) => order,
        };
        let facts = access::facts(&kernel);
        let sums = if order == Order::Parallel { None } else { sums(&kernel, &facts) };
        let mut arrays = 0;
        for (i, param) in kernel.params.iter().enumerate() {
            if param.array().is_some() && i < 64 {
                arrays |= 1 << i;
            }
        }
        let mut records = false;
        kernel.walk(kernel.body, &mut |_, data| records |= data.kind == OpKind::Record);
        let mut kernel = kernel;
        kernel.order = order;
        Ok(Program {
            order,
            facts,
            sums,
            requirements: requirements(&kernel),
            arrays,
            records,
            cost: cost(&kernel, kernel.body),
            common: OnceLock::new(),
            others: Mutex::new(Vec::new()),
            differentiated: OnceLock::new(),
            tangents: Mutex::new(Vec::new()),
            kernel,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.kernel.name
    }

    /// Code for arrays of which those in `contiguous` are so, and with or without checks of thread ids.
    pub(crate) fn compiled(&self, contiguous: u64, prechecked: bool) -> Result<Variant<'_>, Error> {
        let options = Options { contiguous, prechecked, ..Options::default() };
        if prechecked && contiguous == self.arrays {
            let compiled = self.common.get_or_init(|| self.compile(&options));
            return compiled.as_ref().map(Variant::Common).map_err(Clone::clone);
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = others.iter().find(|(o, _)| *o == options) {
            return Ok(Variant::Other(known.clone()));
        }
        let compiled = Arc::new(self.compile(&options)?);
        others.push((options, compiled.clone()));
        Ok(Variant::Other(compiled))
    }

    fn compile(&self, options: &Options) -> Result<Compiled, Error> {
        let failed = |message: String| Error::Compile { kernel: self.kernel.name.clone(), message };
        let verified = verify(&self.kernel).map_err(|e| failed(e.to_string()))?;
        compile(&verified, Cpu::host(), options).map_err(|e| failed(e.to_string()))
    }

    /// The adjoint, made the first time; machine code only when it is needed.
    pub(crate) fn differentiated(&self) -> Result<&Arc<Differentiated>, Error> {
        let made = self.differentiated.get_or_init(|| {
            let verified = verify(&self.kernel)
                .map_err(|e| Error::Compile { kernel: self.kernel.name.clone(), message: e.to_string() })?;
            let adjoint = reverse(&verified, &Request::default())?;
            let mut augmented = adjoint.augmented.clone().map(Program::new).transpose()?;
            if let Some(augmented) = &mut augmented {
                // So that a recorded launch is cut as a plain one is, and gives the same bits.
                (augmented.cost, augmented.sums) = (self.cost, self.sums.clone());
            }
            let backward = Program::new(adjoint.kernel.clone())?;
            Ok(Arc::new(Differentiated { adjoint, augmented, backward }))
        });
        made.as_ref().map_err(Clone::clone)
    }

    /// The tangent kernel for these parameters, made the first time. It bears the kernel's name, so that what
    /// goes wrong in it is told as it is of the kernel.
    pub(crate) fn tangent(
        &self,
        active: &[bool],
        columns: usize,
        name: &'static str,
    ) -> Result<Arc<KernelHandle>, Error> {
        let mut tangents = self.tangents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., known)) = tangents.iter().find(|(a, c, _)| a == active && *c == columns) {
            return Ok(known.clone());
        }
        let failed = |message: String| Error::Compile { kernel: self.kernel.name.clone(), message };
        let verified = verify(&self.kernel).map_err(|e| failed(e.to_string()))?;
        let request = TangentRequest { active: Some(active.to_vec()), columns: columns as u32 };
        let mut kernel = forward(&verified, &request)?.kernel;
        kernel.name.clone_from(&self.kernel.name);
        let mut program = Program::new(kernel.clone())?;
        // So that the launch is cut as that of the kernel is, and gives the same bits.
        program.cost = self.cost;
        let handle = KernelHandle::from_ir(name, kernel);
        // The handle is new, so nobody was faster.
        let _ = handle.compiled().set(Arc::new(program));
        tangents.push((active.to_vec(), columns, handle.clone()));
        Ok(handle)
    }
}

/// The arrays that a kernel's threads share, if each is a sum: of floats, with no access but atomic
/// adds whose results nobody uses.
fn sums(kernel: &Kernel, facts: &[ArrayFacts]) -> Option<Vec<u32>> {
    let mut used = vec![false; kernel.values.len()];
    let mut other = vec![false; kernel.params.len()];
    kernel.walk(kernel.body, &mut |_, data| data.operands.iter().for_each(|&v| used[v.index()] = true));
    kernel.walk(kernel.body, &mut |_, data| {
        if let OpKind::Atomic { op, array, component } = data.kind {
            let scalar = kernel.params[array as usize].array().map(|(e, ..)| e.components()[component as usize].scalar);
            let float = scalar.is_some_and(|s| s.is_float());
            let unused = data.results.iter().all(|r| !used[r.index()]);
            other[array as usize] |= !(op == AtomicOp::Add && float && unused);
        }
    });
    let shared: Vec<u32> = (0..).zip(facts).filter(|(_, f)| f.written() && !f.private).map(|(i, _)| i).collect();
    let sum = |i: u32| !facts[i as usize].loaded && !facts[i as usize].stored && !other[i as usize];
    // What prints does so thread by thread.
    let mut prints = false;
    kernel.walk(kernel.body, &mut |_, data| prints |= matches!(data.kind, OpKind::Print(_)));
    (!prints && shared.iter().all(|&i| sum(i))).then_some(shared)
}

/// A compiled variant of a program.
pub(crate) enum Variant<'p> {
    Common(&'p Compiled),
    Other(Arc<Compiled>),
}

impl std::ops::Deref for Variant<'_> {
    type Target = Compiled;
    fn deref(&self) -> &Compiled {
        match self {
            Variant::Common(compiled) => compiled,
            Variant::Other(compiled) => compiled,
        }
    }
}

/// Operations of a region, loops counted as ten iterations.
fn cost(kernel: &Kernel, region: pullback_ir::RegionId) -> usize {
    let mut sum = 0;
    for &op in &kernel.regions[region].ops {
        let data = &kernel.ops[op];
        let inside: usize = data.regions.iter().map(|&r| cost(kernel, r)).sum();
        let times = if matches!(data.kind, OpKind::For | OpKind::While) { 10 } else { 1 };
        sum += 1 + times * inside;
    }
    sum
}
