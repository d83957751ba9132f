//! Items in the order of their keys.
//!
//! A heap needs a tenth of the code of a sort, which counts in the extension, and what is ordered here
//! is short or nearly always in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The items in the order of their keys; those with equal keys keep their order.
pub(crate) fn in_order<T>(items: Vec<(u64, T)>) -> Vec<(u64, T)> {
    let keys = items.iter().enumerate().map(|(place, (key, _))| Reverse((*key, place)));
    let mut order: BinaryHeap<Reverse<(u64, usize)>> = keys.collect();
    let mut items: Vec<Option<(u64, T)>> = items.into_iter().map(Some).collect();
    let mut sorted = Vec::with_capacity(items.len());
    while let Some(Reverse((_, place))) = order.pop() {
        sorted.extend(items[place].take());
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_keep_their_order() {
        let sorted = in_order(vec![(3, 'a'), (1, 'b'), (3, 'c'), (0, 'd'), (1, 'e')]);
        assert_eq!(sorted, [(0, 'd'), (1, 'b'), (1, 'e'), (3, 'a'), (3, 'c')]);
        assert_eq!(in_order::<u8>(vec![]), []);
    }
}
