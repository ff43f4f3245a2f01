//! The CPU that code is made for.

use crate::Error;
use inkwell::OptimizationLevel;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use std::sync::OnceLock;

/// A CPU: triple, name, features and the vector width to prefer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cpu {
    pub(crate) name: String,
    pub(crate) features: String,
    pub(crate) vector_bits: u32,
}

impl Cpu {
    /// The CPU that this program runs on.
    pub fn host() -> &'static Cpu {
        static HOST: OnceLock<Cpu> = OnceLock::new();
        HOST.get_or_init(|| {
            let features = TargetMachine::get_host_cpu_features().to_string();
            let wide = features.split(',').any(|f| f == "+avx512f");
            Cpu {
                name: TargetMachine::get_host_cpu_name().to_string(),
                vector_bits: if wide { 512 } else { 256 },
                features,
            }
        })
    }

    /// The least CPU of this program's architecture: code for it runs everywhere, and slower.
    pub fn generic() -> Cpu {
        let name = if cfg!(target_arch = "x86_64") { "x86-64" } else { "generic" };
        Cpu { name: name.into(), features: String::new(), vector_bits: 128 }
    }

    /// LLVM's machine for it.
    pub(crate) fn machine(&self, level: OptimizationLevel) -> Result<TargetMachine, Error> {
        static INITIALIZED: OnceLock<Result<(), String>> = OnceLock::new();
        INITIALIZED
            .get_or_init(|| {
                let config = InitializationConfig::default();
                if cfg!(target_arch = "x86_64") {
                    Target::initialize_x86(&config);
                } else if cfg!(target_arch = "aarch64") {
                    Target::initialize_aarch64(&config);
                } else {
                    return Err("only x86-64 and aarch64 are supported".into());
                }
                Ok(())
            })
            .clone()
            .map_err(Error::Host)?;
        let triple = TargetMachine::get_default_triple();
        let target = Target::from_triple(&triple).map_err(|e| Error::Host(e.to_string()))?;
        target
            .create_target_machine(&triple, &self.name, &self.features, level, RelocMode::PIC, CodeModel::Default)
            .ok_or_else(|| Error::Host(format!("LLVM makes no machine for {triple} {}", self.name)))
    }
}
