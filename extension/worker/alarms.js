// @ts-check
/** The alarms that wake the worker, by name. */

/** Something waits to be sent. */
export const ALARM_OUTBOX = 'outbox';
/** From time to time: a browser may lose alarms, and old visits are forgotten. */
export const ALARM_HOURLY = 'hourly';
