//! Sweeps against a simulated list: known cases, then lists that change while they are swept.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::ids::GameId;

const NOW: UnixMillis = UnixMillis(1_774_901_324_793);

/// The site's list of one player: key and start, newest first.
#[derive(Debug, Clone)]
struct Site {
    rows: Vec<(u32, i64)>,
    next_key: u32,
    cap: usize,
    counts: bool,
    filters: bool,
}

impl Site {
    /// `same_start` rows in a row share their start.
    fn new(length: u32, same_start: u32) -> Self {
        let start = |key: u32| i64::from((length - key) / same_start) * 10;
        let rows = (0..length).map(|key| (key, start(key))).collect();
        Self { rows, next_key: length, cap: usize::MAX, counts: true, filters: true }
    }

    fn page(&self, request: PageRequest) -> Page {
        let from = request.start_date.filter(|_| self.filters).unwrap_or(UnixMillis(i64::MIN));
        let listed: Vec<_> = self.rows.iter().filter(|(_, start)| *start >= from.0).collect();
        let size = self.cap.min(request.page_size as usize);
        let rows = listed.iter().skip(request.first as usize).take(size);
        Page {
            rows: rows.map(|(key, start)| row(*key, Some(*start))).collect(),
            total_count: self.counts.then_some(self.rows.len() as u64),
            filtered_count: self.counts.then_some(listed.len() as u64),
        }
    }

    fn insert(&mut self, share: f64, count: usize) {
        let place = (share * self.rows.len() as f64) as usize;
        let above = place.checked_sub(1).map(|above| self.rows[above].1);
        let below = self.rows.get(place).map_or(0, |row| row.1);
        let start = above.map_or(below + 10, |above| i64::midpoint(above, below));
        for _ in 0..count {
            self.rows.insert(place, (self.next_key, start));
            self.next_key += 1;
        }
    }

    fn delete(&mut self, share: f64, count: usize) {
        let place = (share * self.rows.len() as f64) as usize;
        self.rows.drain(place..self.rows.len().min(place + count));
    }

    fn keys(&self) -> BTreeSet<u32> {
        self.rows.iter().map(|row| row.0).collect()
    }
}

fn key(key: u32) -> RowKey {
    RowKey::game(GameId::from_bits(u128::from(key)))
}

fn row(id: u32, start: Option<i64>) -> PageRow {
    PageRow { key: key(id), started: start.map(UnixMillis) }
}

fn start(page_size: u32) -> SweepStart {
    SweepStart {
        cursor: None,
        offset: 0,
        memory: None,
        page_size,
        page_size_max: page_size,
        known_total: None,
        now: NOW,
    }
}

fn resumed(start: &SweepStart, progress: &SweepProgress) -> Sweep {
    let saved = serde_json::to_string(&progress.memory).unwrap();
    let memory = serde_json::from_str(&saved).unwrap();
    Sweep::new(SweepStart { offset: progress.offset, memory, ..start.clone() })
}

/// Sweeps a list at rest: the requests' positions and sizes, the keys taken, the result.
fn run(site: &Site, start: SweepStart) -> (Vec<(u64, u32)>, Vec<u32>, SweepResult) {
    let mut sweep = Sweep::new(start);
    let (mut requests, mut taken) = (Vec::new(), Vec::new());
    loop {
        let request = sweep.next_page().unwrap();
        requests.push((request.first, request.page_size));
        assert!(requests.len() < 10_000);
        let page = site.page(request);
        let outcome = sweep.accept(&page).unwrap();
        let ids = site.rows.iter().map(|row| row.0);
        let keys: BTreeSet<_> = page.rows[..outcome.take].iter().map(|row| row.key).collect();
        taken.extend(ids.filter(|id| keys.contains(&key(*id))));
        if let Some(result) = outcome.finished {
            assert_eq!(outcome.progress, SweepProgress::default());
            assert_eq!(sweep.next_page(), None);
            assert_eq!(sweep.accept(&page), Err(SweepError::Finished));
            return (requests, taken, result);
        }
    }
}

#[test]
fn lists_at_rest() {
    for (length, positions) in [
        (0, vec![0]),
        (1, vec![0]),
        (4, vec![0]),
        (5, vec![0]),
        (6, vec![0, 4]),
        (9, vec![0, 4]),
        (10, vec![0, 4, 8]),
        (13, vec![0, 4, 8]),
    ] {
        let (requests, taken, result) = run(&Site::new(length, 1), start(5));
        assert_eq!(requests.iter().map(|(first, _)| *first).collect::<Vec<_>>(), positions);
        assert_eq!(taken.into_iter().collect::<BTreeSet<_>>().len(), length as usize);
        let cursor = (length > 0).then_some(UnixMillis(i64::from(length) * 10));
        assert_eq!(result.cursor, cursor);
        assert_eq!(result.total_count, Some(u64::from(length)));
    }
}

#[test]
fn without_counts_a_short_page_ends_it() {
    for (length, pages) in [(0, 1), (4, 1), (5, 2), (6, 2), (8, 2), (9, 3)] {
        let site = Site { counts: false, ..Site::new(length, 1) };
        let (requests, taken, result) = run(&site, start(5));
        assert_eq!(requests.len(), pages, "{length}");
        assert_eq!(taken.into_iter().collect::<BTreeSet<_>>(), site.keys());
        assert_eq!(result.total_count, None);
    }
}

#[test]
fn a_capped_page_is_not_the_end() {
    for cap in [1, 2, 3] {
        let site = Site { cap, ..Site::new(9, 1) };
        let (requests, taken, _) = run(&site, start(100));
        assert_eq!(requests.len(), [9, 8, 4][cap - 1]);
        assert_eq!(taken.into_iter().collect::<BTreeSet<_>>(), site.keys());
    }
}

#[test]
fn a_count_that_promises_too_much_is_checked_by_an_empty_page() {
    for (length, positions) in [(0, vec![0]), (1, vec![0, 1]), (5, vec![0, 4, 5])] {
        let site = Site::new(length, 1);
        let mut sweep = Sweep::new(start(5));
        let mut asked = Vec::new();
        while let Some(request) = sweep.next_page() {
            asked.push(request.first);
            let page = Page { filtered_count: Some(99), ..site.page(request) };
            let _ = sweep.accept(&page).unwrap();
        }
        assert_eq!(asked, positions);
    }
}

#[test]
fn large_players_get_large_pages() {
    let site = Site::new(30, 1);
    let sizes = |known_total| SweepStart { page_size_max: 20, known_total, ..start(5) };
    assert_eq!(run(&site, sizes(None)).0, [(0, 5), (4, 20), (23, 20)]);
    assert_eq!(run(&site, sizes(Some(30))).0, [(0, 20), (19, 20)]);
    assert_eq!(run(&Site::new(5, 1), sizes(Some(5))).0, [(0, 5)]);
    assert_eq!(run(&Site::new(3, 1), start(0)).0, [(0, 2), (1, 2)]);
}

#[test]
fn an_incremental_sweep_takes_rows_as_old_as_the_cursor_and_stops_after_them() {
    for filters in [true, false] {
        let site = Site { filters, ..Site::new(40, 3) };
        let newest = UnixMillis(site.rows[0].1);
        let cursor = UnixMillis(site.rows[7].1);
        let wanted = site.rows.iter().filter(|row| row.1 >= cursor.0).count();
        let incremental = SweepStart { cursor: Some(cursor), ..start(5) };
        let (requests, taken, result) = run(&site, incremental.clone());
        assert_eq!(taken.into_iter().collect::<BTreeSet<_>>().len(), wanted);
        assert_eq!(requests.len(), 2);
        assert_eq!(result.cursor, Some(newest));
        let nothing_new = SweepStart { cursor: Some(newest), ..incremental };
        assert_eq!(run(&site, nothing_new).0, [(0, 5)]);
    }
}

#[test]
fn unknown_starts_and_stragglers_stop_nothing() {
    let page = |starts: &[Option<i64>]| Page {
        rows: (0..).zip(starts).map(|(id, start)| row(id, *start)).collect(),
        ..Page::default()
    };
    for (starts, stop) in [
        (vec![None, Some(5), None], None),
        (vec![Some(6), None, Some(4), None, Some(3)], Some(2)),
        (vec![Some(1), Some(6), Some(5), Some(4)], Some(3)),
        (vec![Some(4), None], Some(0)),
    ] {
        assert_eq!(page(&starts).first_older_than(UnixMillis(5)), stop, "{starts:?}");
    }
}

#[test]
fn starts_far_in_the_future_are_no_cursor() {
    let far = UnixMillis(i64::MAX);
    let sound = NOW - CLOCK_TOLERANCE;
    let mut sweep = Sweep::new(SweepStart { cursor: Some(far), ..start(5) });
    assert_eq!(sweep.next_page().unwrap().start_date, None);
    let rows = vec![row(0, Some(far.0)), row(1, Some(sound.0))];
    let page = Page { rows, filtered_count: Some(2), ..Page::default() };
    assert_eq!(sweep.accept(&page).unwrap().finished.unwrap().cursor, Some(sound));
}

#[test]
fn vanished_rows_are_stepped_back_over() {
    let mut site = Site::new(30, 1);
    let mut sweep = Sweep::new(start(10));
    let first = site.page(sweep.next_page().unwrap());
    let _ = sweep.accept(&first).unwrap();
    site.delete(0.0, 4);
    let gap = site.page(sweep.next_page().unwrap());
    let outcome = sweep.accept(&gap).unwrap();
    assert!(outcome.stepped_back);
    assert_eq!((outcome.take, outcome.progress.offset), (10, 10));
    let mut sweep = resumed(&start(10), &outcome.progress);
    assert_eq!(sweep.next_page().unwrap().first, 4);
    let outcome = sweep.accept(&site.page(sweep.next_page().unwrap())).unwrap();
    assert_eq!((outcome.stepped_back, outcome.progress.offset), (false, 14));
}

#[test]
fn an_empty_page_after_the_list_shrank_is_not_the_end() {
    let mut site = Site::new(30, 1);
    let mut sweep = Sweep::new(start(10));
    for _ in 0..2 {
        let page = site.page(sweep.next_page().unwrap());
        let _ = sweep.accept(&page).unwrap();
    }
    site.delete(0.0, 15);
    let outcome = sweep.accept(&site.page(sweep.next_page().unwrap())).unwrap();
    assert!(outcome.stepped_back && outcome.finished.is_none());
    let mut asked = Vec::new();
    while let Some(request) = sweep.next_page() {
        asked.push(request.first);
        let _ = sweep.accept(&site.page(request)).unwrap();
    }
    assert_eq!(asked, [2, 11], "rows 17 to 26, then 26 to 29");
}

#[test]
fn behind_the_overlap_a_shorter_list_is_noticed_too() {
    let mut site = Site { cap: 1, ..Site::new(6, 1) };
    let mut sweep = Sweep::new(start(5));
    let mut taken = BTreeSet::new();
    while let Some(request) = sweep.next_page() {
        let page = site.page(request);
        let _ = sweep.accept(&page).unwrap();
        taken.extend(page.rows.iter().map(|row| row.key));
        if request.first == 2 && site.rows.len() == 6 {
            site.delete(0.0, 1);
        }
    }
    assert_eq!(taken.len(), 6);
}

#[test]
fn a_site_that_ignores_the_position_is_an_error() {
    for counts in [true, false] {
        let site = Site { counts, ..Site::new(12, 1) };
        let mut sweep = Sweep::new(start(5));
        let error = loop {
            let request = sweep.next_page().unwrap();
            match sweep.accept(&site.page(PageRequest { first: 0, ..request })) {
                Ok(outcome) => assert_eq!(outcome.finished, None),
                Err(error) => break error,
            }
        };
        assert_eq!(error, SweepError::NoProgress { first: 12 });
    }
}

#[test]
fn pages_that_never_continue_are_an_error() {
    let mut sweep = Sweep::new(start(2));
    let mut next = 0;
    let error = loop {
        let _ = sweep.next_page().unwrap();
        next += 2;
        let rows = vec![row(next, None), row(next + 1, None)];
        match sweep.accept(&Page { rows, filtered_count: Some(50), ..Page::default() }) {
            Ok(outcome) => assert_eq!(outcome.finished, None),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, SweepError::NoProgress { .. }));
}

#[test]
fn an_offset_without_memory_is_believed_unless_the_list_is_shorter() {
    let older = |offset| SweepStart { offset, ..start(5) };
    let positions = |length, offset| {
        let requests = run(&Site::new(length, 1), older(offset)).0;
        requests.into_iter().map(|(first, _)| first).collect::<Vec<_>>()
    };
    assert_eq!(positions(12, 5), [5, 9]);
    assert_eq!(positions(5, 5), [5]);
    assert_eq!(positions(4, 5), [5, 0]);
}

#[test]
fn games_that_appear_during_a_sweep_are_not_its_target() {
    let mut site = Site::new(8, 1);
    let mut sweep = Sweep::new(start(5));
    let first = site.page(sweep.next_page().unwrap());
    let _ = sweep.accept(&first).unwrap();
    site.insert(0.0, 1);
    let outcome = sweep.accept(&site.page(sweep.next_page().unwrap())).unwrap();
    let result = outcome.finished.unwrap();
    assert_eq!((result.total_count, result.least_total_count), (Some(9), Some(8)));
    assert_eq!(result.cursor, Some(UnixMillis(80)), "the new game is newer");
}

#[derive(Debug, Clone)]
enum Change {
    Insert(f64, usize),
    Delete(f64, usize),
    /// The process is killed after the page was saved.
    Kill,
    /// The process is killed before.
    LosePage,
}

fn change() -> impl Strategy<Value = Change> {
    let place = prop_oneof![Just(0.0), 0.0..1.0];
    prop_oneof![
        (place.clone(), 1usize..30).prop_map(|(place, count)| Change::Insert(place, count)),
        (place, 1usize..30).prop_map(|(place, count)| Change::Delete(place, count)),
        Just(Change::Kill),
        Just(Change::LosePage),
    ]
}

/// What happens before each of the first pages.
fn changes() -> impl Strategy<Value = Vec<Vec<Change>>> {
    prop::collection::vec(prop::collection::vec(change(), 0..3), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_lasting_game_is_missed(
        length in 0u32..120,
        same_start in 1u32..5,
        sizes in (2u32..20, 2u32..20),
        cap in prop_oneof![Just(usize::MAX), 2usize..10],
        filters: bool,
        cursor in prop::option::of(0i64..1200),
        changes in changes(),
    ) {
        let mut site = Site { cap, filters, ..Site::new(length, same_start) };
        let cursor = cursor.map(UnixMillis);
        let begin = SweepStart { cursor, page_size_max: sizes.1, ..start(sizes.0) };
        let mut sweep = Sweep::new(begin.clone());
        let mut progress = SweepProgress::default();
        let (mut lasting, mut taken) = (site.keys(), BTreeSet::new());
        let mut pages = 0;
        loop {
            for change in changes.get(pages).into_iter().flatten() {
                match *change {
                    Change::Insert(place, count) => site.insert(place, count),
                    Change::Delete(place, count) => site.delete(place, count),
                    Change::Kill => sweep = resumed(&begin, &progress),
                    Change::LosePage => {
                        let _ = sweep.accept(&site.page(sweep.next_page().unwrap()));
                        sweep = resumed(&begin, &progress);
                    }
                }
            }
            lasting = &lasting & &site.keys();
            pages += 1;
            prop_assert!(pages < 2000, "endless");
            let page = site.page(sweep.next_page().unwrap());
            let outcome = sweep.accept(&page).unwrap();
            taken.extend(page.rows[..outcome.take].iter().map(|row| row.key));
            progress = outcome.progress;
            if outcome.finished.is_some() {
                break;
            }
        }
        for (id, start) in &site.rows {
            let wanted = cursor.is_none_or(|cursor| *start >= cursor.0);
            let seen = taken.contains(&key(*id));
            prop_assert!(!wanted || !lasting.contains(id) || seen, "row {id} was missed");
        }
    }

    #[test]
    fn a_list_at_rest_costs_the_fewest_pages(
        length in 0u32..200,
        same_start in 1u32..5,
        page_size in 2u32..20,
        cap in 2u32..30,
        kill: bool,
    ) {
        let site = Site { cap: cap as usize, ..Site::new(length, same_start) };
        let size = page_size.min(cap);
        let mut sweep = Sweep::new(start(page_size));
        let (mut pages, mut taken) = (0, BTreeSet::new());
        while let Some(request) = sweep.next_page() {
            pages += 1;
            let page = site.page(request);
            let outcome = sweep.accept(&page).unwrap();
            prop_assert!(!outcome.stepped_back);
            taken.extend(page.rows.iter().map(|row| row.key));
            if kill && outcome.finished.is_none() {
                sweep = resumed(&start(page_size), &outcome.progress);
            }
        }
        prop_assert_eq!(pages, 1 + length.saturating_sub(size).div_ceil(size - 1));
        prop_assert_eq!(taken.len(), length as usize);
    }
}

/// A site that ignores the position and counts more games each time would be asked for ever.
#[test]
fn a_growing_count_does_not_hide_a_page_that_repeats() {
    let mut sweep = Sweep::new(SweepStart {
        cursor: None,
        offset: 0,
        memory: None,
        page_size: 10,
        page_size_max: 10,
        known_total: None,
        now: UnixMillis(1_774_901_324_793),
    });
    let rows = (0..10u128)
        .map(|id| PageRow { key: RowKey::game(GameId::from_bits(id)), started: None })
        .collect::<Vec<_>>();
    let asked = (0..100).find(|_| {
        let Some(request) = sweep.next_page() else { return true };
        let count = Some(request.first + 1000);
        let page = Page { rows: rows.clone(), total_count: count, filtered_count: count };
        sweep.accept(&page).is_err()
    });
    assert!(asked.is_some_and(|pages| pages < 20), "{asked:?}");
}
