//! The functions `with_field` of settings whose fields are public; for the crates of the workspace.

/// `setters! { with_steps(steps: u64) }` in an `impl` replaces the field `steps`; a field that may
/// be absent takes what is in it.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($($with:ident($field:ident: $type:ty)),* $(,)?) => {$(
        #[doc = concat!("The same with this [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $with(mut self, $field: $type) -> Self {
            self.$field = $field.into();
            self
        }
    )*};
}
