//! What a check found, and what it means for the end of the program.

use std::io::Write;

use serde::Serialize;

use crate::exit_code::Exit;
use crate::printable::{counted, printable};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Ok,
    Warning,
    Problem,
}

/// One finding.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    check: &'static str,
    verdict: Verdict,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    /// How the program ends if this is a problem.
    #[serde(skip)]
    exit: Exit,
}

/// All findings, in the order of the checks.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    pub(super) fn ok(&mut self, check: &'static str, message: impl Into<String>) {
        self.add(check, Verdict::Ok, message.into(), None, Exit::Done);
    }

    pub(super) fn warning(
        &mut self,
        check: &'static str,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.add(check, Verdict::Warning, message.into(), Some(advice.into()), Exit::Done);
    }

    pub(super) fn problem(
        &mut self,
        check: &'static str,
        exit: Exit,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.add(check, Verdict::Problem, message.into(), Some(advice.into()), exit);
    }

    fn add(
        &mut self,
        check: &'static str,
        verdict: Verdict,
        message: String,
        advice: Option<String>,
        exit: Exit,
    ) {
        self.0.push(Finding { check, verdict, message, advice, exit });
    }

    /// 0 without a problem; else what the operator has to turn to first: settings, storage, the
    /// site's refusal, the other parties.
    pub(super) fn exit(&self) -> Exit {
        let order = [Exit::Configuration, Exit::Storage, Exit::SiteRefused, Exit::StoppedEarly];
        let has = |exit: &Exit| self.0.iter().any(|finding| finding.exit == *exit);
        order.into_iter().find(has).unwrap_or(Exit::Done)
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.0.iter().filter(|finding| finding.verdict == verdict).count()
    }

    pub(super) fn print(&self, out: &mut impl Write, as_json: bool) -> std::io::Result<()> {
        let (problems, warnings) = (self.count(Verdict::Problem), self.count(Verdict::Warning));
        if as_json {
            let report = serde_json::json!({
                "findings": self.0, "problems": problems, "warnings": warnings,
            });
            return writeln!(out, "{report}");
        }
        let width = self.0.iter().map(|finding| finding.check.len()).max().unwrap_or(0);
        for Finding { check, verdict, message, advice, .. } in &self.0 {
            let verdict = match verdict {
                Verdict::Ok => "ok",
                Verdict::Warning => "warning",
                Verdict::Problem => "PROBLEM",
            };
            writeln!(out, "{verdict:8} {check:width$} {}", printable(message))?;
            if let Some(advice) = advice {
                writeln!(out, "{:8} {:width$} -> {}", "", "", printable(advice))?;
            }
        }
        writeln!(
            out,
            "\n{}, {}",
            counted(problems as u64, "problem", "problems"),
            counted(warnings as u64, "warning", "warnings")
        )
    }
}
