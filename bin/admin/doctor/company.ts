import type { CompanyRecord } from '../../../functions/account/contract/record.ts';
import { checkBusinessNumber } from '../../../functions/administration/service/check-number.ts';
import { listMachineCredentials } from '../../../functions/account/service/machine-tokens.ts';
import { listBusinessNumbers } from '../../../functions/account/service/numbers.ts';
import { listActiveUsers } from '../../../functions/account/service/users.ts';
import type { Finding } from '../../../functions/messaging/contract/finding.ts';
import type { StoredTemplate } from '../../../functions/templates/contract/stored.ts';
import { listTemplates } from '../../../functions/templates/service/templates.ts';
import { listWebhooks } from '../../../functions/webhooks/service/endpoints.ts';
import { isoTime } from '../../../shared/runtime/clock.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import { isProblem } from '../../../shared/contract/problems.ts';

export interface Inspection {
  about: string;
  findings: Finding[];
}

/** Each waits for the provider most of its time: ten thousand companies take minutes, and a provider that does not answer for one holds no other. */
export const companiesAtOnce = 16;
const numbersAtOnce = 8;

/** Inspects companies side by side; what it finds is in their order. `onInspected`: how many are done. */
export const inspectCompanies = async (companies: readonly CompanyRecord[], onInspected: (done: number) => void): Promise<Inspection[]> => {
  let done = 0;
  const inspections = await inParallel(companies, companiesAtOnce, async (company) => {
    const inspection = await inspectCompany(company);
    onInspected(++done);
    return inspection;
  });
  return inspections.flat();
};

/** Checks whether a company can send and receive, and each of its numbers at the provider. Changes nothing. */
export const inspectCompany = async (company: CompanyRecord): Promise<Inspection[]> => {
  const [users, numbers, tokens, endpoints, templates] = await Promise.all([
    listActiveUsers(company.id),
    listBusinessNumbers(company.id),
    listMachineCredentials(company.id, 'webhook_token'),
    listWebhooks(company.id),
    listTemplates(company.id, { status: 'approved', page: 1, limit: 100, cursor: undefined }),
  ]);
  const active = numbers.filter(({ status }) => status === 'active');
  const receivers = isProblem(tokens) ? [] : tokens.filter(({ receiver, status }) => receiver === 'messaging' && status === 'active');
  const findings: Finding[] = [
    ...unless(
      company.status === 'active',
      doubtful(
        'The company is suspended: calls are rejected, and campaigns, scheduled messages, reminders, notices, codes and deliveries wait.',
        'companies resume.',
      ),
    ),
    ...unless(
      users.some(({ role }) => role === 'owner'),
      doubtful('The company has no owner.', 'users create --role owner.'),
    ),
    ...unless(
      active.length > 0,
      wrong(
        'The company has no active number and cannot send.',
        numbers[0] ? `numbers update ${numbers[0].id} --status active.` : 'numbers add.',
      ),
    ),
    ...unless(
      receivers.length > 0 || active.some(({ appId }) => appId !== undefined),
      wrong(
        'The company has no active webhook token for the receiver messaging and no number that names an app: it receives nothing.',
        'numbers connect, which makes its URL and subscribes the app with it.',
      ),
    ),
    ...unless(
      isProblem(templates) || templates.items.length > 0,
      doubtful('The company has no approved template and cannot write outside the 24-hour customer service window.', 'templates sync.'),
    ),
    ...(isProblem(templates) ? [] : templates.items.flatMap(templateFindings)),
    ...endpoints.flatMap(({ id, status, failing_since, disabled_reason }) =>
      status === 'disabled' && disabled_reason !== 'by_user'
        ? [
            doubtful(
              `The webhook endpoint ${id} was disabled (${disabled_reason}).`,
              'Fix the endpoint; then PUT /webhooks/{id} with status active.',
            ),
          ]
        : failing_since
          ? [
              doubtful(
                `The webhook endpoint ${id} has been failing since ${failing_since}.`,
                'GET /webhooks/{id}/deliveries shows its responses.',
              ),
            ]
          : [],
    ),
  ];
  const about = `company ${company.id} (${company.name})`;
  const own: Inspection = {
    about,
    findings: findings.length > 0 ? findings : [{ level: 'ok', message: 'Users, tokens and templates are set up.' }],
  };
  const inspectedNumbers = await inParallel(active, numbersAtOnce, async (number): Promise<Inspection> => {
    const { findings: found, versions } = await checkBusinessNumber(number);
    return { about: `number ${number.id} (${number.phone}) of company ${company.id}`, findings: [...found, ...versions] };
  });
  return [own, ...inspectedNumbers];
};

/**
 * The numbers at the provider that several companies have as active: both send from it, and the provider's events reach only the one that was
 * connected last. `only`: those of this company.
 */
export const inspectSharedNumbers = async (companies: readonly CompanyRecord[], only?: number): Promise<Inspection[]> => {
  const numbers = await inParallel(companies, companiesAtOnce, async ({ id }) =>
    (await listBusinessNumbers(id)).map((each) => ({ ...each, company: id })),
  );
  const active = numbers.flat().filter(({ status }) => status === 'active');
  const findings = [...Map.groupBy(active, ({ phoneNumberId }) => phoneNumberId)].flatMap(([providerId, same]) => {
    const owners = same.map(({ company }) => company);
    if (owners.length < 2 || (only !== undefined && !owners.includes(only))) return [];
    const message = `The phone_number_id ${providerId} is active in the companies ${owners.join(' and ')}: only the one that was connected last receives.`;
    return [wrong(message, 'numbers deactivate, in every company but the one that owns it.')];
  });
  return findings.length === 0 ? [] : [{ about: 'numbers of several companies', findings }];
};

/** Companies that an operator may take for each other. `only`: those of this company's name. */
export const inspectSameNames = (companies: readonly CompanyRecord[], only?: number): Inspection[] => {
  const same = [...Map.groupBy(companies, ({ name }) => name.trim().toLowerCase()).values()].filter(
    (group) => group.length > 1 && (only === undefined || group.some(({ id }) => id === only)),
  );
  const findings = same.map((group) =>
    doubtful(
      `The companies ${group.map(({ id }) => id).join(' and ')} have the same name: ${group[0]?.name ?? ''}.`,
      'companies update --name.',
    ),
  );
  return findings.length === 0 ? [] : [{ about: 'names of companies', findings }];
};

/** What the provider announced of an approved template. */
const templateFindings = ({ name, language, category, upcomingCategory, disableAt }: StoredTemplate): Finding[] => [
  ...unless(
    disableAt === undefined,
    doubtful(
      `The provider disables the template ${name} (${language}) on ${isoTime(disableAt ?? 0)}.`,
      'Send it to fewer contacts, or create another.',
    ),
  ),
  ...unless(
    upcomingCategory === undefined || upcomingCategory.category === category,
    doubtful(
      `The template ${name} (${language}) becomes ${upcomingCategory?.category ?? ''}${upcomingCategory?.at === undefined ? '' : ` on ${isoTime(upcomingCategory.at)}`}; it is ${category} now.`,
      'The WhatsApp Manager, where the category can be appealed.',
    ),
  ),
];

const wrong = (message: string, remedy: string): Finding => ({ level: 'wrong', message, remedy });
const doubtful = (message: string, remedy: string): Finding => ({ level: 'doubtful', message, remedy });
const unless = (isFine: boolean, finding: Finding): Finding[] => (isFine ? [] : [finding]);
