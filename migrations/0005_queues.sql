-- The queues, newest game first, unknown starts last. A query must repeat the condition word for
-- word for its index to be used.
CREATE INDEX ix_games_to_fetch ON games (started_at_ms DESC, game_id, next_retry_at)
    WHERE status = 'discovered' OR (status = 'error' AND error_stage = 'fetch');

CREATE INDEX ix_games_to_post ON games (started_at_ms DESC, game_id, next_retry_at)
    WHERE status = 'fetched' OR (status = 'error' AND error_stage = 'post');
