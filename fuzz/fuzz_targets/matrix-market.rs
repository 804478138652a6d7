#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    gsn_fuzz::run("matrix-market", bytes);
});
