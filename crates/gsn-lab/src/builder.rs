//! Builder methods of settings whose fields are public.

/// `with_x => x: T` replaces a field, `with_x => x: Some(T)` gives one that may be absent.
macro_rules! setters {
    () => {};
    ($with:ident => $field:ident: Some($type:ty) $(, $($rest:tt)*)?) => {
        #[doc = concat!("The same with this [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $with(mut self, $field: $type) -> Self {
            self.$field = Some($field);
            self
        }
        $crate::builder::setters!($($($rest)*)?);
    };
    ($with:ident => $field:ident: $type:ty $(, $($rest:tt)*)?) => {
        #[doc = concat!("The same with this [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $with(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
        $crate::builder::setters!($($($rest)*)?);
    };
}

pub(crate) use setters;
