//! How arguments are read and answers are printed.
//!
//! Decides to do both field by field: derived code is faster, but several times as large, and the
//! module has to be small. What is read and printed here is short.

use std::cell::Cell;
use std::fmt::Write as _;

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::time::UnixMillis;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// Bytes as the text that they must be.
pub(crate) fn utf8<'a>(what: &'static str, bytes: &'a [u8]) -> Result<&'a str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| Failure::bad_input(what, &error))
}

/// A time of JavaScript.
pub(crate) fn time(millis: f64) -> UnixMillis {
    UnixMillis(millis as i64)
}

/// Reads an object, which `read` looks into.
pub(crate) fn read<T>(
    what: &'static str,
    text: &str,
    read: impl FnOnce(&Fields<'_>) -> T,
) -> Result<T, Failure> {
    let (mut read, mut result) = (Some(read), None);
    look_into(what, text, &mut |fields| result = read.take().map(|read| read(fields)))?;
    Ok(result.unwrap_or_else(|| unreachable!("an object that was read was looked into")))
}

/// The part of reading that is the same for all shapes.
fn look_into(
    what: &'static str,
    text: &str,
    read: &mut dyn FnMut(&Fields<'_>),
) -> Result<(), Failure> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| Failure::bad_input(what, &error))?;
    let wrong = Cell::new(None);
    read(&Fields::of(&value, &Map::new(), what, &wrong));
    match wrong.get() {
        Some(name) => Err(Failure::bad_input(name, &"missing, or not of its type")),
        None => Ok(()),
    }
}

/// Reads a list of objects.
pub(crate) fn read_list<T>(
    what: &'static str,
    text: &str,
    read_item: impl FnMut(&Fields<'_>) -> T,
) -> Result<Vec<T>, Failure> {
    read(what, &format!("{{\"{what}\":{text}}}"), |fields| fields.list(what, read_item))
}

/// The fields of an object. One that is wrong is remembered and read as nothing; the whole is refused
/// in the end, so that not every field needs a way out of its own. Null counts as absent.
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    wrong: &'a Cell<Option<&'static str>>,
}

impl<'a> Fields<'a> {
    fn of(
        value: &'a Value,
        empty: &'a Map<String, Value>,
        what: &'static str,
        wrong: &'a Cell<Option<&'static str>>,
    ) -> Self {
        if !value.is_object() {
            wrong.set(Some(what));
        }
        Self { map: value.as_object().unwrap_or(empty), wrong }
    }

    fn each(
        value: &Value,
        what: &'static str,
        wrong: &Cell<Option<&'static str>>,
        read: &mut dyn FnMut(&Fields<'_>),
    ) {
        let empty = Map::new();
        match value {
            Value::Array(list) => {
                list.iter().for_each(|item| read(&Fields::of(item, &empty, what, wrong)));
            }
            _ => wrong.set(Some(what)),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// The whole is refused because of this field.
    pub(crate) fn refuse(&self, name: &'static str) {
        self.wrong.set(Some(name));
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(crate) fn text(&self, name: &'static str) -> &'a str {
        let text = self.get(name).and_then(Value::as_str);
        if text.is_none() {
            self.refuse(name);
        }
        text.unwrap_or_default()
    }

    pub(crate) fn optional_text(&self, name: &'static str) -> Option<&'a str> {
        self.has(name).then(|| self.text(name))
    }

    pub(crate) fn flag(&self, name: &'static str) -> bool {
        let flag = self.get(name).and_then(Value::as_bool);
        if flag.is_none() {
            self.refuse(name);
        }
        flag.unwrap_or_default()
    }

    pub(crate) fn whole(&self, name: &'static str) -> i64 {
        let number = self.get(name).and_then(whole);
        if number.is_none() {
            self.refuse(name);
        }
        number.unwrap_or_default()
    }

    pub(crate) fn optional_whole(&self, name: &'static str) -> Option<i64> {
        self.has(name).then(|| self.whole(name))
    }

    /// A number that is not negative.
    pub(crate) fn count(&self, name: &'static str) -> u64 {
        let number = self.whole(name);
        if number < 0 {
            self.refuse(name);
        }
        number.unsigned_abs()
    }

    pub(crate) fn optional_time(&self, name: &'static str) -> Option<UnixMillis> {
        self.optional_whole(name).map(UnixMillis)
    }

    pub(crate) fn game_id(&self) -> GameId {
        let id = self.text("game_id").parse();
        if id.is_err() {
            self.refuse("game_id");
        }
        id.unwrap_or(GameId::from_bits(0))
    }

    pub(crate) fn user_id(&self, name: &'static str) -> UserId {
        UserId(self.whole(name))
    }

    pub(crate) fn user_ids(&self, name: &'static str) -> Vec<UserId> {
        let mut ids = Vec::new();
        for id in self.get(name).and_then(Value::as_array).into_iter().flatten() {
            match whole(id) {
                Some(id) => ids.push(UserId(id)),
                None => self.refuse(name),
            }
        }
        ids
    }

    pub(crate) fn object<T>(&self, name: &'static str, read: impl FnOnce(&Fields<'_>) -> T) -> T {
        let empty = Map::new();
        read(&Fields::of(self.get(name).unwrap_or(&Value::Null), &empty, name, self.wrong))
    }

    pub(crate) fn list<T>(
        &self,
        name: &'static str,
        mut read: impl FnMut(&Fields<'_>) -> T,
    ) -> Vec<T> {
        let mut items = Vec::new();
        let value = self.get(name).unwrap_or(&Value::Null);
        Fields::each(value, name, self.wrong, &mut |fields| items.push(read(fields)));
        items
    }
}

/// JavaScript has one kind of number: times with a fraction are cut.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().map(|number| number as i64))
}

/// An object being printed.
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Self("{".to_owned())
    }

    /// One whose `kind` says what it is.
    pub(crate) fn of_kind(kind: &str) -> Self {
        Self::new().text("kind", Some(kind))
    }

    pub(crate) fn json(mut self, name: &str, json: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
        self.0.push_str(json);
        self
    }

    pub(crate) fn text(self, name: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.json(name, &quoted(text)),
            None => self.json(name, "null"),
        }
    }

    pub(crate) fn whole(self, name: &str, number: Option<i64>) -> Self {
        match number {
            Some(number) => {
                let mut text = String::new();
                // Writing into a string cannot fail.
                let _ = write!(text, "{number}");
                self.json(name, &text)
            }
            None => self.json(name, "null"),
        }
    }

    pub(crate) fn time(self, name: &str, time: Option<UnixMillis>) -> Self {
        self.whole(name, time.map(|time| time.0))
    }

    pub(crate) fn flag(self, name: &str, flag: bool) -> Self {
        self.json(name, if flag { "true" } else { "false" })
    }

    pub(crate) fn game_id(self, id: GameId) -> Self {
        self.text("game_id", Some(&id.to_string()))
    }

    pub(crate) fn user_ids(self, name: &str, ids: &[UserId]) -> Self {
        let mut list = List::new();
        ids.iter().for_each(|id| list.push(&id.to_string()));
        self.json(name, &list.print())
    }

    pub(crate) fn print(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A list being printed.
pub(crate) struct List(String);

impl List {
    pub(crate) fn new() -> Self {
        Self("[".to_owned())
    }

    pub(crate) fn push(&mut self, json: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(json);
    }

    pub(crate) fn print(mut self) -> String {
        self.0.push(']');
        self.0
    }
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| unreachable!("a text always serialises"))
}
