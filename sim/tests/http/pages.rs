//! The pages, as a browser gets them. What they do in one is tried with the extension.

use crate::client::{ask, get};
use crate::site;

#[tokio::test]
async fn every_address_has_the_page_with_the_session_under_a_strict_policy() {
    let server = site().await;
    let game = server.world().games().next().unwrap().id;
    for path in ["/".to_owned(), format!("/game/{game}?load=xhr"), "/profile/1000".to_owned()] {
        let page = ask(&server, "GET", &path, "", "").await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert!(page.text().contains(server.jwt()), "{path}");
        assert!(!page.text().contains("onclick"), "nothing inline");
    }
    for (path, content_type) in [
        ("/assets/site.js", "text/javascript"),
        ("/assets/site.css", "text/css"),
        ("/favicon.ico", "image/svg+xml"),
    ] {
        let asset = ask(&server, "GET", path, "", "").await;
        assert_eq!((asset.status, asset.header("content-type")), (200, content_type));
    }
    assert!(server.log().is_empty(), "only requests to the API are logged");
}

#[tokio::test]
async fn the_log_tells_what_a_page_asked() {
    let server = site().await;
    get(&server, "/api/leaderboard").await;
    let headers =
        format!("authorization: Bearer {}\r\nsec-fetch-site: same-origin\r\n", server.jwt());
    ask(&server, "GET", "/api/leaderboard", &headers, "").await;
    let log = server.log();
    assert_eq!(log.iter().map(|entry| entry.from_page).collect::<Vec<_>>(), [false, true]);
}
