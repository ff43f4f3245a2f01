//! Where the lines go that kernels print.

use std::sync::{Mutex, PoisonError};

type Printer = Box<dyn FnMut(&str) + Send>;

static PRINTER: Mutex<Option<Printer>> = Mutex::new(None);

/// Sends what kernels print to `printer`, line by line and without the line's end; `None` sends it to the
/// standard output, as it is at the start. A line begins with the kernel's name and the thread's ids. The
/// printer is called while the launch runs, so it must not use the device.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// let lines = Arc::new(Mutex::new(Vec::new()));
/// let sink = lines.clone();
/// pullback_runtime::set_printer(Some(Box::new(move |line| sink.lock().unwrap().push(line.to_owned()))));
/// # pullback_runtime::set_printer(None);
/// ```
pub fn set_printer(printer: Option<Printer>) {
    *PRINTER.lock().unwrap_or_else(PoisonError::into_inner) = printer;
}

/// Prints a line of a kernel.
pub(crate) fn line(text: &str) {
    match PRINTER.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        Some(printer) => printer(text),
        None => println!("{text}"),
    }
}
