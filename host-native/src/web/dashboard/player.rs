//! One player: how complete he is, how he does, his games.

use std::collections::BTreeMap;

use axum::extract::{Path, Query};
use dicechess_analytics::report::{PlayerReport, Slice};
use dicechess_core::ids::UserId;
use dicechess_core::time::UnixMillis;
use maud::{Markup, html};
use serde::Deserialize;

use super::chart::{Course, CoursesChart, IntervalMark, interval};
use super::dice::{AGAIN, report};
use super::failure::Failure;
use super::layout::{Extras, Section, layout_with};
use super::parts::{games_table, pager, player_name};
use super::players::{LAST_PAGE, ratings, share, sync_badge};
use super::reports::{Question, Report};
use super::visit::Visit;
use super::words::Words;
use crate::printable::printable;
use crate::store::PlayerRow;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    page: u32,
}

/// `GET /players/{id}`
pub(super) async fn page(
    visit: Visit,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Markup, Failure> {
    let words = visit.words;
    let page = asked.page.min(LAST_PAGE);
    let user = id.parse::<UserId>().map_err(|_| Failure::not_found(&visit))?;
    let (row, games) = visit
        .read(move |store| Ok((store.player(user)?, store.list_games_of(user, page, ROWS)?)))
        .await?;
    let row = row.ok_or_else(|| Failure::not_found(&visit))?;
    let (charts, is_working) = report(&visit, Question::Player(user), |report| match report {
        Report::Player(report) => statistics(words, report),
        Report::Dice(_) | Report::NoGames | Report::Failed(_) => html! {},
    })
    .await;
    let name = player_name(words, row.user_id, row.username.as_deref());
    let main = html! {
        div.headline { h1 { bdi { (name) } } p { (sync_badge(words, &row.sync_status)) " " span.muted { (row.user_id) } } }
        section.card { h2 { (words.player.crawl) } (facts(words, &row)) }
        @if page == 0 { section.card { h2 { (words.player.results) } (charts) } }
        section.card {
            h2 { (words.player.games) }
            @if games.rows.is_empty() { p.muted { (words.games.none) } }
            @else { (games_table(words, &games.rows, false)) }
            (pager(words, &format!("/players/{user}"), page, games.has_more))
        }
    };
    let extras = Extras { refresh_after: is_working.then_some(AGAIN), ..Extras::default() };
    Ok(layout_with(&visit, &name, Section::Players, extras, &main))
}

/// What the crawl knows of him.
fn facts(words: &Words, row: &PlayerRow) -> Markup {
    let texts = &words.player;
    html! {
        dl.facts {
            dt { (words.players.completeness) } dd { (share(words, row)) }
            dt { (words.players.known) }
            dd {
                (words.number(row.known_games))
                @if let Some(total) = row.total_count { span.muted { " / " (words.number(total)) } }
            }
            @if row.gap > 0 {
                dt { (words.players.missing) }
                dd { (words.number(row.gap)) @if row.gap_accepted { " " span.muted { (words.players.accepted_hint) } } }
            }
            dt { (words.players.rating) } dd { (ratings(row)) }
            dt { (texts.kind) } dd { ((texts.kind_name)(&row.player_type)) }
            @if let Some(via) = &row.discovered_via {
                dt { (texts.found_via) }
                dd { ((texts.via)(via)) " " span.muted { ((texts.depth)(&words.number(row.depth.unsigned_abs()))) } }
            }
            @if let Some(at) = row.last_synced_at { dt { (texts.last_read) } dd { (words.time(at)) } }
            @if let Some(every) = row.watched_every { dt { (texts.watched) } dd { (words.duration(every)) } }
            @if let Some(at) = row.next_refresh_at { dt { (texts.next_refresh) } dd { (words.time(at)) } }
            @if let Some(at) = row.next_retry_at { dt { (texts.tried_again) } dd { (words.time(at)) } }
            @if let Some(error) = &row.last_error {
                dt { (texts.last_error) } dd.reason { (printable(error)) }
            }
        }
    }
}

fn statistics(words: &Words, report: &PlayerReport) -> Markup {
    let texts = &words.player;
    let total = &report.total;
    let rating = courses(&report.rating, |point| (point.date.as_str(), point.rating as f64));
    let profit = courses(&report.profit, |point| (point.date.as_str(), point.cumulative));
    html! {
        div.figure {
            strong.big { (words.percent(total.win_rate, 1)) }
            span.muted {
                (texts.win_rate) " · " (words.count(total.tally.games, &words.nouns.games)) ": "
                ((texts.outcomes)(&words.number(total.tally.wins), &words.number(total.tally.draws), &words.number(total.tally.losses)))
            }
        }
        div.charts {
            (courses_chart(words, texts.rating_course, &rating))
            (courses_chart(words, texts.profit_course, &profit))
        }
        (slices(words, report))
    }
}

/// Dated values as courses over days.
fn courses<P>(named: &BTreeMap<String, Vec<P>>, read: impl Fn(&P) -> (&str, f64)) -> Vec<Course> {
    let point = |point: &P| {
        let (date, value) = read(point);
        let start = UnixMillis::parse_iso(&format!("{date}T00:00:00Z"))?;
        Some((start.0 as f64 / DAY_MS, value))
    };
    let one = |(name, points): (&String, &Vec<P>)| Course {
        name: name.clone(),
        points: points.iter().filter_map(point).collect(),
    };
    named.iter().map(one).collect()
}

fn courses_chart(words: &Words, title: &str, courses: &[Course]) -> Markup {
    let Some(chart) = CoursesChart::of(courses) else {
        return html! { figure.chart { figcaption { (title) } p.muted { (words.player.no_course) } } };
    };
    let day = |days: f64| words.time(UnixMillis((days * DAY_MS) as i64));
    html! {
        figure.chart {
            figcaption { (title) }
            div.plot {
                div.scale.muted.small { span { (words.decimal(chart.high, 0)) } span { (words.decimal(chart.low, 0)) } }
                (chart.svg(title))
            }
            div.axis.muted.small data-days { span { (day(chart.first_day)) } span { (day(chart.last_day)) } }
            ul.legend {
                @for (place, course) in courses.iter().enumerate() {
                    @if let Some((_, last)) = course.points.last() {
                        li { span class={ "swatch course-" (place % 4) } aria-hidden="true" {}
                            (slice_name(words, &course.name)) " " strong { (words.decimal(*last, 0)) } }
                    }
                }
            }
        }
    }
}

/// Win rates of parts of his games, with their intervals.
fn slices(words: &Words, report: &PlayerReport) -> Markup {
    let texts = &words.player;
    let frequent = &report.by_time_control[..report.by_time_control.len().min(TIME_CONTROLS)];
    let parts = [&report.by_color[..], &report.by_mode, &report.by_opponent_type, frequent];
    html! {
        div.scroll {
            table.list.intervals {
                thead { tr {
                    th { (texts.slice) } th.number { (texts.slice_games) } th.wide { (texts.win_rate) }
                    th.number { "%" }
                } }
                tbody { @for part in parts { @for slice in part { (slice_row(words, slice)) } } }
            }
        }
    }
}

fn slice_row(words: &Words, slice: &Slice) -> Markup {
    let record = &slice.record;
    html! {
        tr {
            td { (slice_name(words, &slice.key)) }
            td.number { (words.number(record.tally.games)) }
            td.wide {
                @if let Some(bounds) = record.interval {
                    (interval(&IntervalMark {
                        low: bounds.low,
                        value: record.win_rate,
                        high: bounds.high,
                        reference: 0.5,
                        scale: (0.0, 1.0),
                        is_remarkable: false,
                    }))
                }
            }
            td.number { (words.percent(record.win_rate, 1)) }
        }
    }
}

fn slice_name(words: &Words, key: &str) -> String {
    let texts = &words.player;
    match key {
        "white" => texts.as_white.to_owned(),
        "black" => texts.as_black.to_owned(),
        "classic" => texts.classic.to_owned(),
        "x2" => texts.x2.to_owned(),
        "human" => texts.against_people.to_owned(),
        "bot" => texts.against_bots.to_owned(),
        key => match key.split_once(':').map(|(a, b)| (a.parse().ok(), b.parse().ok())) {
            Some((initial @ Some(_), increment)) => {
                super::parts::time_control(words, initial, increment)
            }
            _ => printable(key),
        },
    }
}

const DAY_MS: f64 = 86_400_000.0;
/// Rows of a page.
const ROWS: u32 = 50;
const TIME_CONTROLS: usize = 6;
