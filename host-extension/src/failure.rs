//! How a failure is thrown.

use std::fmt::Display;

use dicechess_core::bundle::UnreadableArtifact;
use dicechess_core::lifecycle::IllegalTransition;
use dicechess_core::normalise::{LineError, NormalizeError};
use dicechess_core::site::BrokenEntry;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// What is thrown as a `DicechessError`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(Box<LineError>);

impl Failure {
    /// What was passed in cannot be read.
    pub(crate) fn bad_input(what: &str, error: &dyn Display) -> Self {
        Self::new("bad_input", format!("{what}: {error}"))
    }

    fn new(kind: &'static str, message: String) -> Self {
        LineError { kind, state: None, message }.into()
    }
}

impl From<LineError> for Failure {
    fn from(error: LineError) -> Self {
        Self(Box::new(error))
    }
}

impl From<NormalizeError> for Failure {
    fn from(error: NormalizeError) -> Self {
        LineError::from(error).into()
    }
}

impl From<BrokenEntry> for Failure {
    fn from(error: BrokenEntry) -> Self {
        Self::new("broken_entry", error.to_string())
    }
}

impl From<IllegalTransition> for Failure {
    fn from(error: IllegalTransition) -> Self {
        Self::new("illegal_transition", error.to_string())
    }
}

impl From<UnreadableArtifact> for Failure {
    fn from(error: UnreadableArtifact) -> Self {
        Self::new("unreadable_artifact", error.to_string())
    }
}

// js-sys would bring the same and a hundred times as much.
#[wasm_bindgen]
extern "C" {
    type Error;

    #[wasm_bindgen(constructor)]
    fn new(message: &str) -> Error;

    #[wasm_bindgen(method, setter)]
    fn set_name(this: &Error, name: &str);

    #[wasm_bindgen(method, setter)]
    fn set_kind(this: &Error, kind: &str);

    #[wasm_bindgen(method, setter)]
    fn set_state(this: &Error, state: Option<String>);
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> Self {
        let LineError { kind, state, message } = *failure.0;
        let error = Error::new(&message);
        error.set_name("DicechessError");
        error.set_kind(kind);
        error.set_state(state);
        error.into()
    }
}
