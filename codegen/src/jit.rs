//! Loads objects into this process through ORC's LLJIT.
//!
//! inkwell has no safe API for it, so the C functions are called here, and only here.

use crate::Error;
use crate::abi::Entry;
use inkwell::llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use inkwell::llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcLLJITAddObjectFileWithRT, LLVMOrcLLJITGetGlobalPrefix, LLVMOrcLLJITGetMainJITDylib,
    LLVMOrcLLJITLookup, LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use inkwell::llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols,
    LLVMOrcCSymbolMapPair, LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess, LLVMOrcDefinitionGeneratorRef,
    LLVMOrcJITDylibAddGenerator, LLVMOrcJITDylibCreateResourceTracker, LLVMOrcJITDylibDefine,
    LLVMOrcReleaseResourceTracker, LLVMOrcResourceTrackerRef, LLVMOrcResourceTrackerRemove,
};
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Loaded code; unloaded when dropped.
#[derive(Debug)]
pub(crate) struct Code {
    entry: Entry,
    tracker: LLVMOrcResourceTrackerRef,
}

// SAFETY: the code is immutable, and the tracker is used once, in `drop`, under the loader's lock.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    pub(crate) fn entry(&self) -> Entry {
        self.entry
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Ok(loader) = loader() {
            let _held = loader.0.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the tracker came from this loader and is released once. Nobody runs the code any
            // more, as running it borrows `self`.
            unsafe {
                let _ = message(LLVMOrcResourceTrackerRemove(self.tracker));
                LLVMOrcReleaseResourceTracker(self.tracker);
            }
        }
    }
}

/// The one LLJIT of this process. It is never disposed of: code may be running until the end.
struct Loader(Mutex<LLVMOrcLLJITRef>);

// SAFETY: LLJIT may be used from any thread, and the mutex lets one at a time.
unsafe impl Send for Loader {}
// SAFETY: as above.
unsafe impl Sync for Loader {}

/// The text of an error, which is consumed; `None` if there was none.
///
/// # Safety
/// `error` is null or an error that nobody has taken yet.
unsafe fn message(error: LLVMErrorRef) -> Option<String> {
    if error.is_null() {
        return None;
    }
    // SAFETY: the error is valid; its message is a C string that is disposed of once.
    unsafe {
        let text = LLVMGetErrorMessage(error);
        let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(text);
        Some(owned)
    }
}

fn loader() -> Result<&'static Loader, Error> {
    static LOADER: OnceLock<Result<Loader, String>> = OnceLock::new();
    // SAFETY: plain calls of the C API with valid out-pointers; each error is taken once.
    let make = || unsafe {
        crate::target::Cpu::host().machine(inkwell::OptimizationLevel::None).map_err(|e| e.to_string())?;
        let mut jit: LLVMOrcLLJITRef = ptr::null_mut();
        if let Some(error) = message(LLVMOrcCreateLLJIT(&mut jit, ptr::null_mut())) {
            return Err(error);
        }
        let library = LLVMOrcLLJITGetMainJITDylib(jit);
        let mut symbols: Vec<LLVMOrcCSymbolMapPair> = Vec::new();
        for (name, address) in crate::libm::functions() {
            let name = CString::new(name).map_err(|e| e.to_string())?;
            let flags = LLVMJITSymbolFlags {
                GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8,
                TargetFlags: 0,
            };
            let symbol = LLVMJITEvaluatedSymbol { Address: address as u64, Flags: flags };
            symbols.push(LLVMOrcCSymbolMapPair { Name: LLVMOrcLLJITMangleAndIntern(jit, name.as_ptr()), Sym: symbol });
        }
        let unit = LLVMOrcAbsoluteSymbols(symbols.as_mut_ptr(), symbols.len());
        if let Some(error) = message(LLVMOrcJITDylibDefine(library, unit)) {
            return Err(error);
        }
        // What the code generator may call by itself, such as `memset`, is in this process.
        let mut process: LLVMOrcDefinitionGeneratorRef = ptr::null_mut();
        let prefix = LLVMOrcLLJITGetGlobalPrefix(jit);
        let made = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&mut process, prefix, None, ptr::null_mut());
        if let Some(error) = message(made) {
            return Err(error);
        }
        LLVMOrcJITDylibAddGenerator(library, process);
        Ok(Loader(Mutex::new(jit)))
    };
    LOADER.get_or_init(make).as_ref().map_err(|e| Error::Host(e.clone()))
}

/// Loads an object and finds its entry, whose name no other object has.
pub(crate) fn load(kernel: &str, object: &[u8], symbol: &str) -> Result<Code, Error> {
    let failed = |message: String| Error::Load { kernel: kernel.into(), message };
    let name = CString::new(symbol).map_err(|e| failed(e.to_string()))?;
    let loader = loader()?;
    let jit = loader.0.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the buffer is copied and given to the LLJIT; the tracker is of its main library; the
    // address that the look-up finds is that of a function with the ABI of `Entry`, as `lower` made it.
    unsafe {
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(object.as_ptr().cast(), object.len(), name.as_ptr());
        let tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(*jit));
        if let Some(error) = message(LLVMOrcLLJITAddObjectFileWithRT(*jit, tracker, buffer)) {
            LLVMOrcReleaseResourceTracker(tracker);
            return Err(failed(error));
        }
        let mut address = 0;
        if let Some(error) = message(LLVMOrcLLJITLookup(*jit, &mut address, name.as_ptr())) {
            let _ = message(LLVMOrcResourceTrackerRemove(tracker));
            LLVMOrcReleaseResourceTracker(tracker);
            return Err(failed(error));
        }
        let entry = std::mem::transmute::<usize, Entry>(address as usize);
        Ok(Code { entry, tracker })
    }
}
