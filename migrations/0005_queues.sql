-- The queues, newest game first, unknown starts last. A query must repeat the condition word for
-- word for its index to be used.
CREATE INDEX ix_games_to_fetch ON games (started_at_ms DESC, game_id, next_retry_at)
    WHERE status = 'discovered' OR (status = 'error' AND error_stage = 'fetch');

CREATE INDEX ix_games_to_post ON games (started_at_ms DESC, game_id, next_retry_at)
    WHERE status = 'fetched' OR (status = 'error' AND error_stage = 'post');

-- Games that may still be running, by the player whose history told of them: his next sweep begins
-- no later than the oldest of them, so that its result is seen.
CREATE INDEX ix_games_running ON games (discovered_from, started_at_ms)
    WHERE status = 'discovered' AND result IS NULL;
