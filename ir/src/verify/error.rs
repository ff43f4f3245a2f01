//! What the verifier finds.

use crate::entity::{RegionId, Value};
use crate::loc::Located;
use crate::types::Scalar;
use std::fmt;
use thiserror::Error;

/// One fault of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// A launch has 1 to 4 axes.
    #[error("the launch rank is {rank}; it must be 1 to 4")]
    LaunchRank {
        /// What the kernel says.
        rank: u8,
    },
    /// Parameter names are what errors call arrays by.
    #[error("the parameter name `{name}` is empty or used twice")]
    ParamName {
        /// The name.
        name: String,
    },
    /// An array has 1 to 4 dimensions and an element that is not empty.
    #[error("array `{name}` has {rank} dimensions; it must have 1 to 4, and elements of one scalar at least")]
    ArrayShape {
        /// The array.
        name: String,
        /// Its dimensions.
        rank: u8,
    },
    /// A handle that names nothing in this kernel.
    #[error("{what} is not of this kernel")]
    Handle {
        /// The handle.
        what: String,
    },
    /// A value whose record does not fit the place that makes it.
    #[error("{value} does not say that it is made here")]
    Definition {
        /// The value.
        value: Value,
    },
    /// An op or region in two places.
    #[error("{what} is held in two places")]
    HeldTwice {
        /// The op or region.
        what: String,
    },
    /// Arguments of a region that do not fit the op that holds it.
    #[error("{region} has arguments {found:?}, but what holds it gives {expected:?}")]
    RegionArgs {
        /// The region.
        region: RegionId,
        /// Its arguments' types.
        found: Vec<Scalar>,
        /// Those it must have.
        expected: Vec<Scalar>,
    },
    /// A region does not end in its only yield, or the body yields something.
    #[error("{region} must end in its only yield, and a kernel's body yields nothing")]
    Yield {
        /// The region.
        region: RegionId,
    },
    /// A value used where it is not in scope.
    #[error("{value} is used where it is not defined")]
    Undefined {
        /// The value.
        value: Value,
    },
    /// Operands, results or yields of the wrong types.
    #[error("`{op}` has {part} {found:?}; expected {expected}")]
    Types {
        /// The op's name.
        op: &'static str,
        /// Operands, results, or yields.
        part: &'static str,
        /// What it has.
        found: Vec<Scalar>,
        /// What it must have.
        expected: String,
    },
    /// Memory in a region that may not have any.
    #[error("{region} of a `custom` touches memory, keeps or prints; it may only compute")]
    CustomMemory {
        /// The region.
        region: RegionId,
    },
    /// The wrong number of regions.
    #[error("`{op}` holds {found} regions; expected {expected}")]
    Regions {
        /// The op's name.
        op: &'static str,
        /// What it has.
        found: usize,
        /// What it must have.
        expected: usize,
    },
    /// An axis out of range.
    #[error("`{op}` names axis {axis} of {rank}")]
    Axis {
        /// The op's name.
        op: &'static str,
        /// The axis.
        axis: u8,
        /// How many there are.
        rank: u8,
    },
    /// A parameter index that is not an array's.
    #[error("`{op}` names parameter {param}, which is not an array")]
    NotAnArray {
        /// The op's name.
        op: &'static str,
        /// The parameter's index.
        param: u32,
    },
    /// A component that the element does not have.
    #[error("`{op}` names component {component} of array `{array}`, which has {count}")]
    Component {
        /// The op's name.
        op: &'static str,
        /// The array.
        array: String,
        /// The component.
        component: u32,
        /// How many there are.
        count: usize,
    },
    /// An access that the parameter does not allow.
    #[error("`{op}` on array `{array}`, which is declared `{access}`")]
    Access {
        /// The op's name.
        op: &'static str,
        /// The array.
        array: String,
        /// What is allowed.
        access: &'static str,
    },
    /// The stack ops of a site must agree.
    #[error(
        "stack site {site} needs pushes of the same types, at most one pop, of those types, and drops of their width"
    )]
    StackSite {
        /// The site.
        site: u32,
    },
}

/// All faults of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct VerifyErrors {
    /// The kernel's name.
    pub kernel: String,
    /// The faults, in program order.
    pub errors: Vec<Located<VerifyError>>,
}

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}` is not well-formed:", self.kernel)?;
        for error in &self.errors {
            write!(f, "\n  {error}")?;
        }
        Ok(())
    }
}
