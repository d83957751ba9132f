//! What is neither a game nor a question: origins, the description, the greeting.

use std::sync::Arc;

use dicechess_analytics::{ApiOptions, Receiver, router_with};
use serde_json::json;

use crate::client::Server;
use crate::games::{ask, fields};

fn with_origins(list: &str, greeting: bool) -> Server {
    let allowed_origins = list.parse().unwrap();
    Server::serving(|path| {
        let receiver = Arc::new(Receiver::open(path).unwrap());
        router_with(receiver, ApiOptions { token: None, allowed_origins, greeting })
    })
}

#[test]
fn listed_origins_may_read() {
    let server = with_origins("https://board.example.org,https://*.example.com", false);
    for (origin, allowed) in [
        ("https://board.example.org", true),
        ("https://a.example.com", true),
        ("https://example.com", false),
        ("https://evil.org", false),
    ] {
        for path in ["/api/games", "/api/games/x", "/version", "/openapi.json", "/api/nothing"] {
            let answer = server.send("GET", path, &format!("Origin: {origin}\r\n"), b"");
            let header = format!("access-control-allow-origin: {origin}");
            assert_eq!(answer.head.contains(&header), allowed, "{origin} {path}: {answer:?}");
            assert!(answer.head.contains("vary: "), "{answer:?}");
        }
        let asked = format!("Origin: {origin}\r\nAccess-Control-Request-Method: GET\r\n");
        let preflight = server.send("OPTIONS", "/api/games", &asked, b"");
        assert_eq!(preflight.status, 200);
        assert_eq!(
            preflight.head.contains("access-control-allow-origin"),
            allowed,
            "{preflight:?}"
        );
        let methods = preflight.head.lines().find(|line| line.contains("allow-methods")).unwrap();
        assert!(methods.contains("get") && !methods.contains("post"), "{methods}");
    }
    let none = Server::start();
    let answer = none.send("GET", "/api/games", "Origin: https://board.example.org\r\n", b"");
    assert!(!answer.head.contains("access-control"), "{answer:?}");
}

#[test]
fn the_description_names_every_call() {
    let server = Server::start();
    let description = ask(&server, "/openapi.json");
    assert!(description["openapi"].as_str().unwrap().starts_with("3."));
    let paths = &description["paths"];
    let documented = [
        ("/api/games", &["get", "post"][..]),
        ("/api/games/{id}", &["get", "put"]),
        ("/api/players", &["get"]),
        ("/api/players/{id}", &["get"]),
        ("/api/players/{id}/breakdowns", &["get"]),
        ("/api/players/{id}/profit-history", &["get"]),
        ("/api/players/{id}/rating-history", &["get"]),
        ("/api/players/{id}/stats", &["get"]),
        ("/api/positions/continuations", &["get"]),
        ("/api/positions/dice-distribution", &["get"]),
        ("/api/positions/equity", &["get"]),
        ("/version", &["get"]),
    ];
    assert_eq!(fields(paths), documented.map(|(path, _)| path));
    for (path, methods) in documented {
        assert_eq!(fields(&paths[path]), methods, "{path}");
        let id = "00000000-0000-0000-0000-000000000000";
        let known = server.get(&path.replace("{id}", id));
        assert!([200, 400, 404].contains(&known.status), "{path}: {known:?}");
        assert!(!known.body.contains("no such path"), "{path}");
    }
    let parameters = paths["/api/games"]["get"]["parameters"].as_array().unwrap();
    assert_eq!(parameters.len(), 15);
    let limit = parameters.iter().find(|parameter| parameter["name"] == "limit").unwrap();
    assert_eq!(limit["schema"]["maximum"], json!(200));
    let schemas = &description["components"]["schemas"];
    for name in ["GameDetail", "GameSummary", "PlayerStats", "PlayerBreakdowns", "Continuations"] {
        assert!(schemas[name].is_object(), "{name}");
    }
}

#[test]
fn every_reference_of_the_description_leads_somewhere() {
    let description = ask(&Server::start(), "/openapi.json");
    let text = description.to_string();
    let mut references = text.split("\"$ref\":\"#").skip(1).peekable();
    assert!(references.peek().is_some());
    for rest in references {
        let pointer = rest.split('"').next().unwrap();
        assert!(description.pointer(pointer).is_some(), "{pointer}");
    }
    let modes = &description["components"]["schemas"]["Mode"]["enum"];
    assert_eq!(modes, &json!(["classic", "x2"]));
}

#[test]
fn the_page_and_the_greeting() {
    let server = with_origins("", true);
    let page = server.get("/docs");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html"), "{page:?}");
    // It works without the rest of the world.
    assert!(!page.body.contains("http"), "the page names another server");
    assert_eq!(ask(&server, "/")["docs"], json!("/docs"));
    assert_eq!(ask(&server, "/version")["name"], json!("dicechess-analytics"));
    assert_eq!(Server::start().get("/").status, 404);
}

#[test]
fn other_methods_are_405() {
    let server = Server::start();
    for (method, path) in [
        ("PUT", "/api/games"),
        ("DELETE", "/api/games/x"),
        ("POST", "/api/players"),
        ("PUT", "/api/players/x/stats"),
        ("POST", "/api/positions/equity"),
        ("POST", "/docs"),
        ("OPTIONS", "/api/games"),
    ] {
        let answer = server.send(method, path, "", b"");
        assert_eq!(answer.status, 405, "{method} {path}");
        assert!(answer.head.contains("get"), "{answer:?}");
    }
}
