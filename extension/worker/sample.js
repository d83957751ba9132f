// @ts-check
/** A made-up game, to show what is sent before there is one of the user's. */

const ENTRY = '{"gameId":"40f3d0d2-72e2-48fa-8c12-cfa0112fafde","color":"WHITE","result":1,'
  + '"startTime":"2026-03-30T20:08:44.793","timeLimit":5,"timeBonus":3,"allowDoubling":false,'
  + '"isCancelled":false,"startRatingWhite":1500,"startRatingBlack":1600,'
  + '"historyOpponent":{"opponentId":77,"opponentName":"rook77"},"moneyDelta":100,"currency":"GOLD"}';
const MOVES = '{"gameMoveHistoryStateMap":{"0":{"fen":"4k3/8/8/8/8/8/4R3/KNB5 w - - 0 1","dices":'
  + '[{"value":"R","allowed":true,"used":false},{"value":"N","allowed":true,"used":false},'
  + '{"value":"B","allowed":true,"used":false}],"gameMoveHistoryMove":null,"bank":100,'
  + '"leftTime":{"101":300000,"77":300000}},"1":{"fen":"4R3/8/8/8/8/8/8/KNB5 w - - 0 1","dices":[],'
  + '"gameMoveHistoryMove":{"from":"E2","to":"E8","promotion":"NONE"},"bank":100,'
  + '"leftTime":{"101":291500,"77":300000}}}}';
const PLAYER = 101;
const SEEN_AT = Date.UTC(2026, 2, 30, 20, 20);

/** @param {import('./core.js').Core} rules */
export function sampleGame(rules) {
  const list = `{"gameHistoryList":[${ENTRY}],"totalCount":1}`;
  const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
  const observed = rules.observe({
    origin: 'https://dicechess.com', url: '/api/player/history', method: 'POST', status: 200,
    contentType: 'application/json', requestBody: bytes(`{"filters":{"PLAYER_ID":"${PLAYER}"}}`), body: bytes(list),
  });
  if (observed.kind !== 'history') throw new Error('the sample is no page of history');
  const [row] = observed.rows;
  const game = {
    game_id: row.game_id, row, entry_seen_at_ms: SEEN_AT, state: null, moves_seen_at_ms: SEEN_AT,
    moves_bytes: MOVES.length, players: [PLAYER, 77], is_whole: true, seen_at_ms: SEEN_AT, changed_at_ms: SEEN_AT,
  };
  return { game, moves: bytes(MOVES), players: [row.opponent] };
}
