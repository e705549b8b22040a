import { Command } from 'commander';
import { campaignView } from '../../functions/campaigns/domain/campaign-view.ts';
import { listCampaigns, getCampaign } from '../../functions/campaigns/service/campaigns.ts';
import { asId, examples, ofCompany } from './argument.ts';
import { must } from './failure.ts';
import { printList, printRecord, wantsJson } from './output.ts';
import { Progress } from './progress.ts';

/** Lists the campaigns of a company and follows their progress. */
export const campaigns = (): Command => {
  const noun = new Command('campaigns').description('the campaigns of a company');
  examples(noun, 'campaigns list --company 1', 'campaigns watch 12 --company 1');

  examples(ofCompany(noun.command('list').description('the newest campaigns of a company')), 'campaigns list --company 1').action(
    async ({ company }: { company: number }, command: Command) => {
      const { items } = await must(listNewest(company), company);
      const columns = ['id', 'name', 'status', 'audience_count', 'excluded_count', 'pause_reason', 'failure_reason', 'created_at'];
      printList(command, items.map(campaignView), columns, 'There are no campaigns.');
    },
  );

  examples(
    ofCompany(
      noun
        .command('watch')
        .description('show the progress of a campaign until it ends or is paused')
        .argument('<id>', 'the campaign', asId),
    ),
    'campaigns watch 12 --company 1',
  ).action(async (id: number, { company }: { company: number }, command: Command) => {
    const known = async () => (await must(listNewest(company), company)).items;
    const progress = new Progress({ writesLines: !wantsJson(command) });
    for (;;) {
      const campaign = await must(getCampaign(company, id), company, known);
      const { total, scheduled, processing, failed, ambiguous } = campaign.statistics;
      if (!activeStatuses.has(campaign.status)) {
        progress.end();
        return printRecord(command, summaryLines(campaign));
      }
      const done = total - scheduled - processing;
      const status = [`${campaign.status} ${done} of ${total}`, ...(failed + ambiguous > 0 ? [`${failed + ambiguous} failed`] : [])];
      progress.show(done, total, status.join(', '));
      await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
    }
  });

  return noun;
};

const pollIntervalMs = 500;
const activeStatuses: ReadonlySet<string> = new Set(['queued', 'constructing', 'sending']);

const listNewest = (company: number) => listCampaigns(company, { page: 1, limit: 50, cursor: undefined });

/** The result of a campaign, one field per line. */
function summaryLines(campaign: Exclude<Awaited<ReturnType<typeof getCampaign>>, { problem: unknown }>): Record<string, unknown> {
  const { id, name, status, pause_reason, failure_reason, send_time, statistics, funnel, failures, completed_at } = campaign;
  return {
    id,
    name,
    status,
    ...(pause_reason ? { pause_reason } : {}),
    ...(failure_reason ? { failure_reason } : {}),
    ...(send_time ? { send_time } : {}),
    ...statistics,
    replied: funnel.replied,
    opted_out: funnel.opted_out,
    ...Object.fromEntries(failures.map(({ code, title, count, fix }) => [`error ${code}`, `${count} x ${title}. ${fix}`])),
    completed_at,
  };
}
