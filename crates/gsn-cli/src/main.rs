//! The program `gsn`.

use std::process::ExitCode;

/// Counting a batch makes and drops thousands of tables; the system's allocator gives the memory
/// back to the kernel each time, and fetching it again costs more than the counting. Huge pages
/// are off: a command on a few thousand molecules would spend most of its time clearing them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(gsn_cli::main(std::env::args_os()))
}
