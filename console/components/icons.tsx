import type { JSX } from 'react';

/** Own icons, 16 px, one stroke. A name for each thing that they stand for. */
const paths = {
  inbox: 'M2.5 9.5 4.3 3.8a1 1 0 0 1 1-.8h5.4a1 1 0 0 1 1 .8l1.8 5.7v2.8a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1Zm0 0h3.2l.9 1.6h2.8l.9-1.6h3.2',
  code: 'm5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  gear: 'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 1.8v1.7M8 12.5v1.7M14.2 8h-1.7M3.5 8H1.8M12.4 3.6l-1.2 1.2M4.8 11.2l-1.2 1.2M12.4 12.4l-1.2-1.2M4.8 4.8 3.6 3.6',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM13.5 13.5l-3.2-3.2',
  inspect: 'M2.5 3.5h11v9h-11ZM9.5 3.5v9M4.5 6h3M4.5 8.5h3',
  user: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8ZM3 13.4c.6-2.2 2.6-3.4 5-3.4s4.4 1.2 5 3.4',
  users:
    'M6 7.6a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM1.8 12.8c.4-2 2.1-3 4.2-3s3.8 1 4.2 3M10.4 3.4a2.2 2.2 0 0 1 0 4.1M11.8 10c1.3.4 2.2 1.3 2.5 2.8',
  check: 'm3.5 8.5 3 3 6-7',
  ticks: 'm1.5 8.5 2.7 2.7L9.5 5M7 10.6l.7.6L13.5 5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.4',
  alert: 'M8 2.3 14.3 13H1.7ZM8 6.4v3M8 11.2v.2',
  question: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.3 6.4a1.7 1.7 0 1 1 2.5 1.5c-.5.3-.8.6-.8 1.2M8 11.2v.2',
  close: 'm4 4 8 8M12 4l-8 8',
  down: 'm4 6.2 4 4 4-4',
  right: 'm6.2 4 4 4-4 4',
  left: 'm9.8 4-4 4 4 4',
  send: 'M2.5 8 13.5 3l-3.2 10.2-2.6-4ZM7.7 9.2l5.8-6.2',
  attach: 'm12.8 7.6-5 5a3 3 0 0 1-4.3-4.3l5.3-5.2a2 2 0 0 1 2.9 2.8l-5.2 5.2a1 1 0 0 1-1.4-1.4l4.6-4.6',
  note: 'M3 2.8h10v6.7l-3.7 3.7H3ZM9.3 13.2V9.5H13M5.3 5.6h5.4M5.3 8h2.8',
  template: 'M2.8 2.8h10.4v3H2.8ZM2.8 8.2h5v5h-5ZM10.2 8.2h3v5h-3Z',
  home: 'M2.5 7.2 8 2.3l5.5 4.9M4 6.2v7h8v-7M6.8 13.2V9.6h2.4v3.6',
  phone: 'M5 1.8h6a1 1 0 0 1 1 1v10.4a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V2.8a1 1 0 0 1 1-1ZM7.2 12.2h1.6',
  copy: 'M5.5 5.5h7.7v7.7H5.5ZM3.5 10.5h-.7V2.8h7.7v.7',
  plus: 'M8 3v10M3 8h10',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  bolt: 'M8.8 1.8 3.2 9h4l-.8 5.2L12.8 7h-4Z',
  bell: 'M4 11V7a4 4 0 1 1 8 0v4l1 1.2H3ZM6.7 13.8h2.6',
  coins:
    'M2 5c0-1 1.8-1.8 4-1.8S10 4 10 5 8.2 6.8 6 6.8 2 6 2 5Zm0 0v6c0 1 1.8 1.8 4 1.8M2 8c0 1 1.8 1.8 4 1.8M10 9.8a2 2 0 1 0 0 .1M6 11a4 4 0 1 0 8 0 4 4 0 0 0-8 0',
  calendar: 'M2.8 3.8h10.4v9.4H2.8ZM2.8 6.6h10.4M5.5 2.3v2.6M10.5 2.3v2.6',
  download: 'M8 2.5v7.2M5 7l3 3 3-3M3 13.2h10',
  location: 'M8 14s4.5-4 4.5-7.3a4.5 4.5 0 0 0-9 0C3.5 10 8 14 8 14ZM8 8.2a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2Z',
  file: 'M4 1.8h5.3L12 4.6v9.6H4ZM9 1.8v3h3',
  image: 'M2.5 3h11v10h-11ZM5.5 6.6a.9.9 0 1 0 0-1.8.9.9 0 0 0 0 1.8ZM2.5 11l3.3-3 2.3 2 2-1.8 3.4 3',
  list: 'M5.5 4.2h8M5.5 8h8M5.5 11.8h8M2.6 4.2h.1M2.6 8h.1M2.6 11.8h.1',
  reply: 'M6.5 4 2.8 7.5 6.5 11M3 7.5h6a4 4 0 0 1 4 4v.7',
  smile: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.6 9.4a2.8 2.8 0 0 0 4.8 0M6 6.2v.4M10 6.2v.4',
  select: 'M2.5 2.5h11v11h-11ZM5 8.2l2 2 4-4.6',
  refresh: 'M13 5.5A5.5 5.5 0 1 0 13.5 9M13.3 2.5v3.2h-3.2',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.6v1.2M8 13.2v1.2M14.4 8h-1.2M2.8 8H1.6M12.5 3.5l-.9.9M4.4 11.6l-.9.9M12.5 12.5l-.9-.9M4.4 4.4l-.9-.9',
  key: 'M5.3 13a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM7.3 8.4 13 2.7M11 4.7l1.7 1.7M9.3 6.4l1.2 1.2',
  webhook: 'M8 6.2a2.2 2.2 0 1 0-2-1.3L3.9 8.8M4 13.2a2.2 2.2 0 1 0 2-3.2M12 13.2a2.2 2.2 0 1 0-1.9-3.3H6.3M8 6.2l2.2 3.7',
  building: 'M3.5 13.5V2.5h6v11M9.5 6h3v7.5M2.5 13.5h11M5.5 5h2M5.5 7.5h2M5.5 10h2',
  chart: 'M2.5 13.5h11M4 11V8M8 11V3.5M12 11V6',
  megaphone: 'M2.5 6.5v3h2.2l6.3 3.3V3.2L4.7 6.5ZM5 9.7l.8 3.6h1.9l-.9-2.7M13.2 6.4a2.2 2.2 0 0 1 0 3.2',
  shield: 'M8 1.8 13 3.6v4c0 3-2 5.3-5 6.6-3-1.3-5-3.6-5-6.6v-4Z',
  signout: 'M9.5 2.5h-6v11h6M7 8h6.5M11.3 5.5 13.8 8l-2.5 2.5',
  mail: 'M2 3.5h12v9H2ZM2.3 4l5.7 4.6L13.7 4',
  tag: 'M2.5 2.5h5.2l5.8 5.8-5.2 5.2-5.8-5.8ZM5.3 5.3h.1',
  trash: 'M2.8 4.2h10.4M6 4V2.5h4V4M4.2 4.2l.6 9.3h6.4l.6-9.3',
  edit: 'M3 13l.6-2.8 6.9-6.9a1.4 1.4 0 0 1 2 0l.2.2a1.4 1.4 0 0 1 0 2L5.8 12.4Z',
  link: 'M6.6 9.4 9.4 6.6M7.3 5l1.4-1.4a2.6 2.6 0 0 1 3.7 3.7L11 8.7M8.7 11l-1.4 1.4a2.6 2.6 0 0 1-3.7-3.7L5 7.3',
} as const;

export type IconName = keyof typeof paths;

/** What points where reading goes, or comes from: it points the other way where that is from right to left. */
const pointing: ReadonlySet<IconName> = new Set(['right', 'left', 'send', 'reply', 'list', 'signout', 'inspect']);

export const Icon = ({ name, size = 16, label }: { name: IconName; size?: number; label?: string }): JSX.Element => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.4}
    strokeLinecap="round"
    strokeLinejoin="round"
    {...(pointing.has(name) ? { className: 'pointing' } : {})}
    {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
  >
    <path d={paths[name]} {...(name === 'more' ? { strokeWidth: 2.4 } : {})} />
  </svg>
);

export const Spinner = (): JSX.Element => (
  <svg className="spinner" width={16} height={16} viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth={2} aria-hidden>
    <circle cx={8} cy={8} r={6} opacity={0.25} />
    <path d="M14 8a6 6 0 0 0-6-6" strokeLinecap="round" />
  </svg>
);

export const Logo = (): JSX.Element => <img className="logo" src="/console/icon.svg" alt="" />;
