//! Russian.

use dicechess_core::ingest::{EventType, Termination};
use dicechess_core::lifecycle::PlayerStatus;
use shakmaty::Color;

use super::super::actions::Action;
use super::super::causes::Cause;
use super::super::wording::{Counting, Noun, Spelling};
use super::{
    Actions, Budget, Daemon, Dice, FailureWords, Game, Games, Nav, Nouns, Overview, Parked,
    Pipeline, Player, Players, Problems, Reports, SignIn, Status, Words,
};
use crate::crawl::Stage;

pub(in super::super) const RUSSIAN: Words = Words {
    spelling: Spelling {
        counting: Counting::Russian,
        thousands: '\u{a0}',
        decimal: ',',
        percent_gap: "\u{a0}",
        units: ["д", "ч", "мин", "с"],
        months: [
            "янв.",
            "февр.",
            "мар.",
            "апр.",
            "мая",
            "июн.",
            "июл.",
            "авг.",
            "сент.",
            "окт.",
            "нояб.",
            "дек.",
        ],
    },
    nouns: Nouns {
        games: Noun(["партия", "партии", "партий"]),
        players: Noun(["игрок", "игрока", "игроков"]),
        requests: Noun(["запрос", "запроса", "запросов"]),
        entries: Noun(["запись", "записи", "записей"]),
        rolls: Noun(["бросок", "броска", "бросков"]),
        tests: Noun(["проверка", "проверки", "проверок"]),
        bytes: Noun(["байт", "байта", "байт"]),
    },
    nav: Nav {
        own_name: "Русский",
        label: "Страницы",
        skip: "К содержанию",
        overview: "Обзор",
        players: "Игроки",
        games: "Партии",
        parked: "Отложенные",
        dice: "Кости",
        language: "Язык",
        sign_in: "Войти",
        sign_out: "Выйти",
        read_only: "Только чтение: ADMIN_TOKEN не задан",
        pages: "Страницы списка",
        page: "Страница",
        previous: "Назад",
        next: "Дальше",
    },
    failure: FailureWords {
        not_found: "Не найдено",
        not_found_hint: "Такой страницы, игрока или партии здесь нет.",
        storage: "Базу данных не удаётся прочитать",
        refused: "Отказано",
        back: "К обзору",
    },
    overview: Overview {
        title: "Обзор",
        as_of: "На",
        counting: "Подсчёт…",
        daemon: "Что происходит сейчас",
        funnel: "Конвейер",
        forecast: "Сколько осталось",
        budget: "Запросы к сайту",
        problems: "Неполадки",
        completeness: "Полнота",
        recent: "Найдены последними",
        known_of_counted: |known, counted| {
            format!("известно {known} из {counted} партий, которые насчитал сайт")
        },
        complete_players: |complete, players| {
            format!(
                "Полны у {complete} из {players} прочитанных игроков. Партия двух таких игроков считается у обоих."
            )
        },
        no_sweep_yet: "Ни одна история ещё не прочитана до конца.",
        no_gaps: "Пробелов у прочитанных игроков нет",
        gap_player: "Игрок",
        gap_known: "Известно / всего",
        gap_missing: "Не хватает",
        all_gaps: "Все игроки с пробелами",
        all_games: "Все партии",
    },
    daemon: Daemon {
        starting: "Запуск",
        crawling: "Обход",
        standby: "В резерве",
        stopping: "Остановка",
        starting_hint: "Служба запускается.",
        database_hint: "Базой нельзя пользоваться. Попытка повторяется каждые десять секунд.",
        crawling_hint: "Этот процесс ведёт обход.",
        stopping_hint: "Служба заканчивает начатое и останавливается.",
        standby_hint: |holder| {
            format!(
                "Обход этой базы ведёт {holder}. Этот процесс сменит его, когда кончится его срок:"
            )
        },
        lease_until: "он длится до",
        running_since: "Работает с",
        stage: |stage| match stage {
            Stage::Enumerate => "Истории",
            Stage::Fetch => "Ходы",
            Stage::Post => "Отправка",
            Stage::Archive => "Архив",
        },
        working: "работает",
        idle: "ждёт",
        resting: "пауза",
        since: "с",
        looks_again: "проверит не позже",
        tries_again: "повторит в",
    },
    pipeline: Pipeline {
        players: "Игроки",
        games: "Партии",
        players_found: "Найдены",
        players_swept: "История прочитана",
        found: "Найдены",
        fetched: "Ходы получены",
        posted: "Отправлены",
        archived: "В архиве",
        aside: "В стороне от основного пути",
        not_asked: "гости и боты, не запрашиваются",
        failed: "ошибка, будет повтор",
        cancelled: "отменены на сайте",
        fetch_failed: "не получены, будет повтор",
        post_failed: "не отправлены, будет повтор",
        parked: "отложены",
        rejected: "отклонены",
        rates_over: |span| format!("Скорости — средние за последние {span}."),
        rates_soon: "Скорости появятся через несколько секунд.",
        nothing_known: "Пока никто не известен. Задайте SEED_IDS или дождитесь таблиц лидеров.",
        complete: "Всё известное уже здесь",
        complete_hint: "Ни одна партия не ждёт ходов, ни один игрок — обхода. Новые партии придут со следующим обновлением.",
        whole: "на весь обход при нынешнем бюджете",
        at_least: "не меньше: ни один обход ещё не завершён",
        known_rest: "На известное",
        left: "Осталось запросить",
        expected: "Ожидается всего",
        pace: "Не более",
        an_hour: |requests| format!("{requests} в час"),
        frontier_grows: "Оценка считает оставшихся игроков похожими на прочитанных. Ещё не встреченные игроки и паузы по просьбе сайта прибавят к ней.",
    },
    budget: Budget {
        used: "из бюджета за последний час",
        used_without_limit: "за последний час; часовой бюджет не задан",
        chart: "Запросы за последний час по минутам",
        hour_ago: "час назад",
        now: "сейчас",
        endpoint: "Что запрошено",
        last_hour: "За час",
        ever: "Всего",
        history: "Истории",
        move_history: "Ходы",
        leaderboard: "Таблицы лидеров",
        next: "Следующий запрос",
        at_once: "можно сразу",
        refused: "не раньше, чем сайт снова впустит",
        within: |wait| format!("через {wait}"),
        spacing: "расстояние между запросами",
        budget_spent: "бюджет исчерпан",
        silence: "сайт просил подождать",
        throttled: "Сайт просил подождать до",
        token: "Токен",
        token_silent: "срок не указан",
        token_ended: "истёк",
        token_lasts: |left| format!("действует ещё {left}"),
        refused_since: "с",
    },
    problems: Problems {
        none: "Ничто не задержано",
        rests: |stages| format!("{stages}: пауза"),
        all: "Всё",
        messages: "Сообщения",
        broken_entries: |entries| {
            format!(
                "Не прочитано: {entries} в историях. Их байты сохранены, см. broken_entries в базе."
            )
        },
    },
    causes: |cause| match cause {
        Cause::Token => (
            "Сайт не принимает токен",
            "Войдите на dicechess.com, скопируйте новый токен и задайте DICECHESS_JWT или его файл. Новые данные пробуются сразу.",
        ),
        Cause::Challenge => (
            "Cloudflare требует проверки",
            "Откройте dicechess.com в браузере на этой машине, пройдите проверку и задайте DICECHESS_COOKIE и USER_AGENT этого браузера. Или подождите и спрашивайте реже.",
        ),
        Cause::Throttled => (
            "Сайт ограничивает запросы",
            "Делать ничего не нужно: будет повтор. Если это часто, увеличьте REQUEST_MIN_DELAY_MS или уменьшите REQUEST_HOURLY_BUDGET.",
        ),
        Cause::Missing => {
            ("У сайта нет ходов партии", "Обычно навсегда. Повторяется с растущими паузами.")
        }
        Cause::SiteFault => (
            "Сбой на сайте",
            "Делать ничего не нужно: будет повтор. Если это надолго, проверьте, открывается ли dicechess.com в браузере.",
        ),
        Cause::Network => ("Сайт недоступен", "Проверьте сеть и DNS этой машины. Будет повтор."),
        Cause::BadAnswer => (
            "Ответ сайта не читается",
            "Будет повтор. Если это надолго, сайт изменился: ищите новую версию dicechess-sync.",
        ),
        Cause::NoStateMap => (
            "Сайт не хранит ходов этих партий",
            "Делать ничего не нужно: у партий с некоторыми ботами ходов нет.",
        ),
        Cause::UnknownRecord => (
            "В записи что-то неизвестное",
            "Исходная копия цела. Обновите dicechess-sync и повторите отложенные партии.",
        ),
        Cause::Illegal => (
            "Запись нарушает правила",
            "Аналитика такие партии отклоняет. Посмотрите партию; повторите после обновления правил.",
        ),
        Cause::Refused => (
            "Аналитика отклонила документ",
            "Смотрите сообщение. Когда получатель или dicechess-sync исправлены, повторите отклонённые партии.",
        ),
        Cause::AnalyticsDown => (
            "Аналитика недоступна или дала сбой",
            "Проверьте ANALYTICS_BASE_URL и работает ли служба. Партии ждут, ничто не потеряно.",
        ),
        Cause::AnalyticsToken => {
            ("Аналитика не принимает наш токен", "Задайте INGEST_TOKEN, которого ждёт служба.")
        }
        Cause::NotAnalytics => (
            "Вместо аналитики отвечает что-то другое",
            "Проверьте ANALYTICS_BASE_URL: по этому адресу веб-страница или другая служба.",
        ),
        Cause::ArchiveDown => (
            "Архив недоступен или дал сбой",
            "Проверьте, работает ли служба из ARCHIVE_URL и принимает ли она партии. Партии ждут, ничто не потеряно.",
        ),
        Cause::ArchivePath => (
            "Папка архива непригодна",
            "ARCHIVE_URL должен называть папку, в которую этот процесс может писать. Партии ждут, ничто не потеряно.",
        ),
        Cause::AnalyticsStore => (
            "Встроенная аналитика не может сохранить партии",
            "`dicechess-sync doctor` проверит её базу и диск. Партии ждут, ничто не потеряно.",
        ),
        Cause::Transport => (
            "С этой машины сайт спросить нельзя",
            "Установите curl или укажите его в CURL_BIN, либо задайте TRANSPORT=reqwest.",
        ),
        Cause::DiskFull => (
            "Диск полон",
            "Освободите место. Ничто не записано наполовину, работа продолжится сама.",
        ),
        Cause::ReadOnly => (
            "База доступна только для чтения",
            "Дайте пользователю этого процесса право писать в файл и его папку; проверьте, не стал ли диск после сбоя доступным только для чтения.",
        ),
        Cause::Locked => (
            "Базу держит другой процесс",
            "Завершите его: забытый sqlite3, идущее копирование. Работа продолжится сама.",
        ),
        Cause::Damaged => (
            "База повреждена",
            "Остановите службу и восстановите резервную копию (docs/operations.md).",
        ),
        Cause::DatabaseFailed => {
            ("Сбой базы", "Смотрите сообщение и запустите `dicechess-sync doctor`.")
        }
        Cause::Other => ("Другое", "Смотрите сообщения."),
    },
    status: Status {
        discovered: "найдена",
        fetched: "получена",
        posted: "отправлена",
        rejected: "отклонена",
        error_fetch: "не получена",
        error_post: "не отправлена",
        parked: "отложена",
        skipped: "отменена",
    },
    player_status: |status| match status {
        PlayerStatus::Pending => "Ждут",
        PlayerStatus::InProgress => "Читаются",
        PlayerStatus::Synced => "Прочитаны",
        PlayerStatus::Error => "С ошибкой",
        PlayerStatus::Skipped => "Не запрашиваются",
    },
    player_state: |status| match status {
        PlayerStatus::Pending => "ждёт",
        PlayerStatus::InProgress => "читается",
        PlayerStatus::Synced => "прочитана",
        PlayerStatus::Error => "ошибка",
        PlayerStatus::Skipped => "не запрашивается",
    },
    players: Players {
        title: "Игроки",
        unknown_list: |name| format!("Списка «{name}» нет. Здесь показан другой."),
        search: "Имя или номер",
        find: "Найти",
        gaps: "С пробелами",
        gaps_hint: "Партии, которые сайт считает, но ни одна история не показала. Игрока с пробелом читают ещё раз с начала; пробел, который два таких обхода не изменили, считается принятым.",
        watched: "Под наблюдением",
        watched_hint: "Их партии нужны через минуты после окончания: `dicechess-sync watch add ID --every 2m`.",
        no_gaps: "Пробелов нет ни у кого.",
        none: "Никого.",
        player: "Игрок",
        state: "История",
        rating: "Рейтинг",
        known: "Партии",
        completeness: "Полнота",
        missing: "Не хватает",
        not_counted: "ещё не сосчитаны",
        accepted: "принят",
        accepted_hint: "Два обхода с начала его не изменили.",
    },
    player: Player {
        unknown: "неизвестен",
        nameless: |id| format!("Игрок {id}"),
        crawl: "В обходе",
        results: "Как играет",
        games: "Партии",
        kind: "Кто это",
        kind_name: |kind| match kind {
            "bot" => "бот сайта",
            "guest" => "гость",
            _ => "человек",
        },
        found_via: "Найден",
        via: |via| match via {
            "leaderboard" => "в таблице лидеров",
            "x2_leaderboard" => "в таблице лидеров x2",
            "opponent" => "как соперник",
            "tournament" => "в турнире",
            _ => "задан для начала",
        },
        depth: |depth| format!("(расстояние {depth})"),
        last_read: "История прочитана",
        next_refresh: "Следующий запрос",
        watched: "Под наблюдением, каждые",
        tried_again: "Повтор",
        last_error: "Последняя ошибка",
        win_rate: "доля побед",
        outcomes: |wins, draws, losses| format!("побед {wins}, ничьих {draws}, поражений {losses}"),
        rating_course: "Рейтинг в конце каждого игрового дня",
        profit_course: "Прибыль по сумме партий на ставку",
        no_course: "Таких партий нет.",
        slice: "Партии",
        slice_games: "Число",
        as_white: "белыми",
        as_black: "чёрными",
        classic: "классика",
        x2: "с удвоением (x2)",
        against_people: "с людьми",
        against_bots: "с ботами",
    },
    games: Games {
        title: "Партии",
        unknown_list: |name| format!("Списка «{name}» нет. Здесь все партии."),
        none: "Партий здесь нет.",
        started: "Начало",
        no_start: "начало неизвестно",
        white: "Белые",
        black: "Чёрные",
        result: "Итог",
        time_control: "Время",
        status: "Состояние",
        again_at: "повтор в",
        all: "Все",
        to_fetch: "Ждут ходов",
        to_post: "Ждут отправки",
        posted: "Отправлены",
        waiting: "Ждут повтора",
        rejected: "Отклонены",
        parked: "Отложены",
        skipped: "Отменены",
        by_start: "В порядке очереди: сначала начатые позже.",
        by_timer: "Сначала те, чей повтор ближе.",
        by_discovery: "Сначала найденные последними.",
    },
    game: Game {
        unreadable: "Эту партию нельзя воспроизвести",
        refused: "Правила не допускают эту партию",
        facts: "Сведения",
        raw: "Исходные копии",
        board: "Доска",
        dice: "Кости",
        stake: "Ставка",
        moves: "Ходы",
        pass: "пропуск хода",
        controls: "Просмотр партии",
        first: "В начало",
        turn_back: "На ход назад",
        back: "На шаг назад",
        play: "Пуск или пауза",
        forward: "На шаг вперёд",
        turn_forward: "На ход вперёд",
        last: "В конец",
        flip: "Перевернуть доску",
        keys: "Клавиши",
        key_list: &[
            ("← →", "на шаг"),
            ("↑ ↓", "на ход"),
            ("Home End", "в начало, в конец"),
            ("Пробел", "пуск или пауза"),
            ("f", "перевернуть доску"),
        ],
        at_start: "Начало",
        turn: "Ход",
        event: |event, color| match (event, color) {
            (EventType::DoubleOffer, Color::White) => "Белые предлагают удвоить ставку",
            (EventType::DoubleOffer, Color::Black) => "Чёрные предлагают удвоить ставку",
            (EventType::DoubleAccept, Color::White) => "Белые принимают удвоение",
            (EventType::DoubleAccept, Color::Black) => "Чёрные принимают удвоение",
            (EventType::DoubleDecline, Color::White) => {
                "Белые отказываются от удвоения и проигрывают"
            }
            (EventType::DoubleDecline, Color::Black) => {
                "Чёрные отказываются от удвоения и проигрывают"
            }
            (EventType::DrawOffer, Color::White) => "Белые предлагают ничью",
            (EventType::DrawOffer, Color::Black) => "Чёрные предлагают ничью",
            (EventType::DrawAccept, Color::White) => "Белые соглашаются на ничью",
            (EventType::DrawAccept, Color::Black) => "Чёрные соглашаются на ничью",
        },
        ending: |ending| match ending {
            Termination::KingCaptured => "король взят",
            Termination::Timeout => "время вышло",
            Termination::Resign => "сдача",
            Termination::DrawAgreement => "ничья по соглашению",
            Termination::DoubleDeclined => "отказ от удвоения",
            Termination::Unknown => "окончание неизвестно",
        },
        mode: "Режим",
        ratings: "Рейтинги",
        termination: "Окончание",
        fetched: "Ходы получены",
        from_browser: "от связанного браузера",
        archived: "В архиве",
        revisions: "Хранится разных ответов",
        id: "Номер",
    },
    pieces: ["пешка", "конь", "слон", "ладья", "ферзь", "король"],
    parked: Parked {
        title: "Отложенные",
        lead: "Что само дальше не пойдёт и что ждёт повтора. Повтор идёт от исходной копии и сайт не спрашивает; новое получение ходов спрашивает его снова.",
        parked: "Не удалось прочитать",
        parked_hint: "В ходах что-то неизвестное. Повтор поможет после обновления.",
        without_moves: "Партии, ходов которых сайт не хранит, тоже отложены, но здесь не показаны.",
        rejected: "Отклонены аналитикой",
        rejected_hint: "Каждая со словами получателя. Повтор поможет, когда получатель или dicechess-sync исправлены.",
        waiting: "Ждут повтора",
        waiting_hint: "Эти пойдут дальше сами, с паузами от пяти минут до шести часов.",
        none: "Нет",
        replay: "Повторить",
        replay_all: "Повторить все",
        retry_fetch: "Получить сейчас",
        retry_post: "Отправить сейчас",
        more: "Показать все",
        done: |action, games| match action {
            Action::ReplayRejected | Action::ReplayNormalize => {
                format!("Снова в очереди: {games}.")
            }
            Action::RetryFetch | Action::RetryPost => format!("Повтор прямо сейчас: {games}."),
        },
        sign_in_first: "Войдите, чтобы повторять партии.",
        no_admin: "Панель только показывает. Чтобы что-то менять, задайте ADMIN_TOKEN (или ADMIN_TOKEN_FILE) и перезапустите службу.",
    },
    actions: Actions {
        title: "Вы уверены?",
        question: |action, one| match (action, one) {
            (Action::ReplayRejected | Action::ReplayNormalize, true) => {
                "Эта партия будет заново разобрана из исходной копии и отправлена. Сайт не запрашивается."
            }
            (Action::ReplayRejected, false) => {
                "Все отклонённые партии будут заново разобраны и отправлены. Сайт не запрашивается."
            }
            (Action::ReplayNormalize, false) => {
                "Все непрочитанные партии будут заново разобраны и отправлены. Сайт не запрашивается."
            }
            (Action::RetryFetch, _) => {
                "Все партии, которые не удалось получить, будут снова запрошены у сайта в пределах бюджета."
            }
            (Action::RetryPost, _) => {
                "Все партии, которые не удалось отправить, будут отправлены снова."
            }
        },
        yes: "Да, выполнить",
        no: "Отмена",
        foreign: "Запрос пришёл не со страницы этой панели. Если перед ней стоит прокси, он должен передавать заголовок Host.",
        not_signed_in: "Сначала войдите.",
    },
    sign_in: SignIn {
        title: "Вход",
        hint: "Введите значение ADMIN_TOKEN. В этом браузере вход действует двенадцать часов.",
        token: "Токен",
        wrong: "Это не тот токен.",
        too_often: "Слишком много неверных попыток. Подождите минуту.",
    },
    reports: Reports {
        elsewhere: |place| format!("Партии отправляются на {place}: статистика там."),
        working: "Считается. Страница обновится сама.",
        failed: "Отчёт построить не удалось.",
        no_games: "Отправленных партий ещё нет.",
        computed_at: "Посчитано",
    },
    dice: Dice {
        title: "Честны ли кости?",
        lead: "Все броски трёх костей в отправленных партиях — против того, что дают честные кости.",
        verdict: "Вывод",
        too_few: "Слишком мало бросков: нужно хотя бы 180.",
        fair: |tests| {
            format!("{tests}: ничего примечательного, броски похожи на броски честных костей.")
        },
        remarkable: "Честные кости вряд ли дали бы такое у:",
        counted: |rolls, games| format!("Учтено: {rolls}, {games}."),
        groups: "Двойные и тройные",
        groups_hint: "Точка — наблюдаемая доля, полоса — 95-процентный интервал, черта — честные кости",
        group: "Чьи броски",
        rolled: "Бросков",
        doubles: "Доля двойных и тройных",
        share: "Доля",
        p_value: "p",
        all_rolls: "все",
        first_roll: "первый бросок партии",
        rolls: "56 бросков",
        rolls_hint: "Сколько раз выпал каждый, его доля и доля у честных костей. Оранжевые: честные кости вне 95-процентного интервала; из 56 случайно выходят около трёх.",
        notes_title: "Как это читать",
        notes: &[
            "p — вероятность, что честные кости отклонятся не меньше (критерий хи-квадрат для одинарных, двойных и тройных), с поправкой на все проверки отчёта (Холм). Меньше 0,05 — примечательно.",
            "Бросок, который никто не сыграл, потому что партия кончилась раньше, в записях не виден. Играют ли бросок, может зависеть от него самого: прежде чем винить кости, посмотрите на первый бросок партии.",
            "Интервалы — 95-процентные интервалы Уилсона, без поправки.",
        ],
    },
};
