import type { JSX } from 'react';
import type { CampaignDetails } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { CsvButton } from '../../components/table.tsx';
import { formatCount } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useMay } from '../../data/session.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useLocale, useText } from '../../text/text.ts';

/** What failed, by its reason, what to do about each, and those that can be sent again. */
export const Failures = ({ campaign: { id, failures }, onDone }: { campaign: CampaignDetails; onDone: () => void }): JSX.Element | null => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  const mayWrite = useMay('member');
  const { dialog, open, close } = useDialog();
  if (failures.length === 0) return null;
  const again = failures.filter(({ retryable }) => retryable).reduce((sum, { count }) => sum + count, 0);
  const retry = (count: number, codes?: (number | string)[]): void =>
    open(
      <ConfirmDialog
        isDanger={false}
        title={text.sendAgain(count)}
        action={text.sendAgain(count)}
        send={(call) => api.retryCampaign({ params: { id }, body: codes ? { codes } : {} }, call)}
        onDone={({ data }) => {
          close();
          toast(data.skipped === 0 ? text.sentAgain(data.retried) : text.sentAgainBut(data.retried, data.skipped));
          onDone();
        }}
        onClose={close}
      >
        <p>{text.sendAgainText}</p>
      </ConfirmDialog>,
    );
  return (
    <section className="campaign-part">
      <div className="row">
        <h2 className="grow">{text.failures}</h2>
        <CsvButton
          name={`campaign-${id}-failures`}
          of={text.failures}
          rows={failures}
          columns={[
            { name: text.reason, value: ({ title }) => title },
            { name: 'code', value: ({ code }) => code },
            { name: text.recipients, value: ({ count }) => count },
            { name: text.fix, value: ({ fix }) => fix },
          ]}
        />
        {mayWrite && again > 0 && (
          <Button icon="refresh" onClick={() => retry(again)}>
            {text.sendAgain(again)}
          </Button>
        )}
      </div>
      <ScrolledTable
        name={text.failures}
        columns={[text.reason, text.recipients, text.fix, ...(mayWrite ? [text.again] : [])]}
        isNumber={(column) => column === 1}
        rows={failures.map(({ code, title, count, fix, retryable }) => ({
          key: String(code),
          cells: [
            `${title} (${code})`,
            formatCount(tag, count),
            fix,
            retryable ? (
              <Button key="again" small icon="refresh" onClick={() => retry(count, [code])}>
                {text.sendAgain(count)}
              </Button>
            ) : (
              <span key="never" className="muted">
                {text.notAgain}
              </span>
            ),
          ],
        }))}
      />
      {dialog}
    </section>
  );
};
