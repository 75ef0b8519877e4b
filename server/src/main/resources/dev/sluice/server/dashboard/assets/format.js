// Numbers, durations and instants as text.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' });

/** What stands for a figure that is not known. */
export const NONE = '–';

/** 12,345; from a million on 1.2M. */
export function count(n) {
  if (n === undefined || n === null) {
    return NONE;
  }
  return Math.abs(n) < 1_000_000 ? whole.format(n) : compact.format(n);
}

/** A number per second. */
export function rate(n) {
  if (n === undefined || n === null) {
    return NONE;
  }
  if (n === 0) {
    return '0';
  }
  return n < 10 ? n.toFixed(n < 1 ? 2 : 1) : count(Math.round(n));
}

/** Seconds in the two units that matter: 8 ms, 1.4 s, 3m 05s, 2h 10m, 4d 3h. */
export function duration(seconds) {
  if (seconds === undefined || seconds === null || Number.isNaN(seconds)) {
    return NONE;
  }
  const s = Math.max(0, seconds);
  if (s === 0) {
    return '0 s';
  }
  if (s < 0.0995) {
    return `${trim(s * 1000, s < 0.00995 ? 1 : 0)} ms`;
  }
  if (s < 9.95) {
    return `${trim(s, s < 0.995 ? 2 : 1)} s`;
  }
  return span(s);
}

function trim(n, digits) {
  return String(Number(n.toFixed(digits)));
}

/** Whole seconds and above, for what ticks. */
export function span(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) {
    return `${s} s`;
  }
  if (s < 3600) {
    return `${Math.floor(s / 60)}m ${pad(s % 60)}s`;
  }
  if (s < 86_400) {
    return `${Math.floor(s / 3600)}h ${pad(Math.floor((s % 3600) / 60))}m`;
  }
  return `${Math.floor(s / 86_400)}d ${Math.floor((s % 86_400) / 3600)}h`;
}

function pad(n) {
  return String(n).padStart(2, '0');
}

/** The browser's time zone at a moment: CET, UTC, GMT+5:30. */
export function zone(at = new Date()) {
  return time.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** The time of day with its zone, and with the date unless it is today's. */
export function instant(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) {
    return NONE;
  }
  const today = at.toDateString() === new Date().toDateString();
  return today ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
}

/** Everything, for tooltips. */
export function exact(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? String(iso) : `${full.format(at)} (${iso})`;
}

/**
 * Enough of an id to tell neighbours apart. Ids by time differ at their end; those of a run and of the
 * jobs of its steps (version 8) are derived: a run's ends in zeros, a job's says run, step and element.
 */
export function shortId(id) {
  const text = String(id ?? '');
  const [first, second, third = '', , last] = text.split('-');
  if (third.startsWith('8')) {
    return /^0+$/.test(last) ? `${first}-${second}-${third}` : `${third}…${last}`;
  }
  return text.length > 13 ? `${text.slice(0, 4)}…${text.slice(-6)}` : text;
}

/** Any JSON, indented. */
export function pretty(value) {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** 1 job, 2 jobs. */
export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** A word of the API as people write it: waiting_signal, waiting signal. */
export function words(name) {
  return String(name ?? '').replaceAll('_', ' ');
}
