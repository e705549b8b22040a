import type { Role } from '../../../shared/contract/route.ts';
import { escapeHtml } from '../../../shared/runtime/html.ts';
import type { Money } from '../../spend/contract/money.ts';
import type { SummaryLanguage } from '../contract/stored.ts';
import { mayRead, type WeekFigures } from './figures.ts';
import { summaryTexts } from './summary-texts.ts';
import { boundsOf } from './week.ts';

export interface SummaryFrame {
  /** The Monday of the week, a UTC day. */
  week: string;
  language: SummaryLanguage;
  companyName: string;
  /** Of the reader: to whom the console shows which page. */
  role: Role;
  /** Where the console is; undefined: the email has no links. */
  consoleUrl: string | undefined;
}

/** A figure of the email: its name, its value, and the page of the console that has more. */
interface Line {
  label: string;
  value: string;
  path: string;
  more?: readonly string[];
}

/** What a name may hold is not what an email may: no line ends, no signs that turn the direction of what follows. */
const plain = (name: string): string => name.replaceAll(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();

/** Names and values that may run in another direction than the sentence, apart from it. */
const isolated = (value: string): string => `\u2068${value}\u2069`;

/** So many campaigns have a line; of more there is their number. */
const shownCampaigns = 10;

/** The email of a week, as text and as HTML without script, image or foreign address. Names are the company's own, and nothing of a contact is in it. */
export const summaryMail = (
  figures: WeekFigures,
  frame: SummaryFrame,
): { subject: string; text: string; html: string; headers: Record<string, string> } => {
  const { language, consoleUrl } = frame;
  const text = summaryTexts[language];
  const title = text.title(plain(frame.companyName), daysOf(frame));
  const lines = linesOf(figures, frame);
  const off = consoleUrl === undefined ? undefined : `${consoleUrl}/settings/preferences`;
  const address = ({ path }: Line): string[] => (consoleUrl === undefined ? [] : [`${consoleUrl}${path}`]);
  return {
    subject: title,
    text: [
      title,
      ...lines.map((line) =>
        [`${line.label}: ${line.value}`, ...(line.more ?? []).map((each) => `- ${each}`), ...address(line)].join('\n'),
      ),
      text.days,
      [text.why, ...(off === undefined ? [] : [`${text.off}: ${off}`])].join('\n'),
    ].join('\n\n'),
    html: htmlPage(frame, title, [
      `<table>${lines.map((line) => htmlRow(line, address(line)[0])).join('')}</table>`,
      `<p>${escapeHtml(text.days)}</p>`,
      `<p>${escapeHtml(text.why)}${off === undefined ? '' : ` <a href="${escapeHtml(off)}">${escapeHtml(text.off)}</a>`}</p>`,
    ]),
    // not the one-click form of RFC 8058: switching it off needs the user's session
    headers: off === undefined ? {} : { 'List-Unsubscribe': `<${off}>` },
  };
};

function linesOf({ used, usedBefore, answers, answersBefore, ...others }: WeekFigures, { language, role }: SummaryFrame): Line[] {
  const { waiting, campaigns, spend } = others;
  const text = summaryTexts[language];
  const write = writerOf(language);
  const beside = (value: string, before: string): string => `${value} (${text.before(before)})`;
  const counted = (label: string, value: number, before: number, path: string): Line[] =>
    value === 0 && before === 0 ? [] : [{ label, value: beside(write.count(value), write.count(before)), path }];
  const timed = (label: string, seconds: number | null, before: number | null, path: string): Line[] =>
    seconds === null
      ? []
      : [{ label, value: before === null ? write.time(seconds) : beside(write.time(seconds), write.time(before)), path }];
  const waitCount = write.count(waiting.count);
  const verification = mayRead(role, { caller: { role: 'admin' } }) ? '/verification' : '/settings/usage';
  return [
    ...counted(text.delivered, used.delivered, usedBefore.delivered, '/settings/usage'),
    ...counted(text.failed, used.failed, usedBefore.failed, '/settings/usage'),
    ...counted(text.answered, answers.answered, answersBefore.answered, '/home'),
    ...timed(text.medianAnswer, answers.median_answer_seconds, answersBefore.median_answer_seconds, '/home'),
    ...counted(text.closed, answers.closed, answersBefore.closed, '/home'),
    ...timed(text.medianClose, answers.median_close_seconds, answersBefore.median_close_seconds, '/home'),
    { label: text.waiting, value: waiting.isCounted ? waitCount : text.atLeast(waitCount), path: '/inbox?waits=1' },
    ...campaignLines(campaigns, language),
    ...(spend ? costLines(spend, language) : []),
    ...(used.verifications === 0
      ? []
      : [
          {
            label: text.verified,
            value: text.ofAll(write.count(used.verified), write.count(used.verifications), write.share(used.verified / used.verifications)),
            path: verification,
          },
        ]),
  ];
}

function campaignLines(campaigns: WeekFigures['campaigns'], language: SummaryLanguage): Line[] {
  if (campaigns.length === 0) return [];
  const text = summaryTexts[language];
  const write = writerOf(language);
  const shown = campaigns.slice(0, shownCampaigns);
  const more = shown.map(
    ({ name, delivered, read }) => `${isolated(plain(name))}: ${text.reached(write.count(delivered), write.count(read))}`,
  );
  const left = campaigns.length - shown.length;
  return [
    {
      label: text.campaigns,
      value: write.count(campaigns.length),
      path: '/campaigns',
      more: [...more, ...(left > 0 ? [text.more(write.count(left))] : [])],
    },
  ];
}

function costLines({ amounts, unknown }: NonNullable<WeekFigures['spend']>, language: SummaryLanguage): Line[] {
  if (amounts.length === 0 && unknown === 0) return [];
  const text = summaryTexts[language];
  const write = writerOf(language);
  return [
    {
      label: text.cost,
      value: amounts.length === 0 ? text.none : amounts.map((each) => isolated(write.money(each))).join(', '),
      path: '/spend',
      ...(unknown === 0 ? {} : { more: [text.withoutPrice(write.count(unknown))] }),
    },
  ];
}

/** Arabic with the digits that the addresses beside them have. */
const tags: Readonly<Record<SummaryLanguage, string>> = { en: 'en', de: 'de', ar: 'ar-u-nu-latn' };

const units = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;

const writerOf = (language: SummaryLanguage) => {
  const tag = tags[language];
  const format = (value: number, options: Intl.NumberFormatOptions): string => new Intl.NumberFormat(tag, options).format(value);
  return {
    count: (value: number) => format(value, {}),
    share: (value: number) => format(value, { style: 'percent' }),
    money: ({ amount, currency }: Money) => format(Number(amount), { style: 'currency', currency }),
    /** In the largest unit that the time has one of. */
    time: (seconds: number) => {
      const { unit, seconds: length } = units.find((each) => seconds >= each.seconds) ?? { unit: 'second', seconds: 1 };
      return format(seconds / length, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: seconds / length < 10 ? 1 : 0 });
    },
  };
};

function daysOf({ week, language }: SummaryFrame): string {
  const { fromMs, toMs } = boundsOf(week);
  const format = new Intl.DateTimeFormat(tags[language], { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  return format.formatRange(fromMs, toMs - 1);
}

const htmlRow = ({ label, value, more = [] }: Line, address: string | undefined): string => {
  const name = escapeHtml(label);
  const details = more.map((each) => `<br>${escapeHtml(each)}`).join('');
  const linked = address === undefined ? name : `<a href="${escapeHtml(address)}">${name}</a>`;
  return `<tr><td style="padding:.4em 1em .4em 0;vertical-align:top">${linked}</td><td><strong>${escapeHtml(value)}</strong>${details}</td></tr>`;
};

const htmlPage = ({ language }: SummaryFrame, title: string, parts: readonly string[]): string =>
  [
    `<!doctype html><html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
    `<h1 style="font-size:1.25em">${escapeHtml(title)}</h1>`,
    ...parts,
    '</body></html>',
  ].join('\n');
