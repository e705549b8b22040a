import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Button, Copyable, Loading } from '../../components/basics.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { CheckField, problemOf, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { type Answer, api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { ConnectWalk } from './connect-walk.tsx';
import { Quality, useLimit } from './number-state.tsx';

type BusinessNumber = Answer<'getNumber'>['data'];

/** One number: what the provider says of it, its pace, and its setup, checked live. */
const NumberPage = (): JSX.Element => {
  const text = useText(settingsText);
  const number = useNumber();
  const limit = useLimit();
  const mayWrite = useMay('admin');
  const id = Number((useParams({ strict: false }) as { id?: string }).id);
  const input = { params: { id } };
  const { data, error, refetch } = useQuery(read('getNumber', input));
  const [isEditing, setEditing] = useState(false);
  const one = data?.data;
  useInspectable({ title: text.numbers, subject: `number:${id}`, object: one, call: { operation: 'getNumber', input } });
  const makeDefault = useWrite(
    (_: undefined, call) => api.updateNumber({ params: { id }, body: { is_default: true } }, call),
    () => {
      toast(text.saved);
      void refresh('getNumber', 'listNumbers');
    },
  );
  return (
    <Page
      title={<span dir="ltr">{one ? `+${one.phone}` : text.numbers}</span>}
      actions={
        one && (
          <>
            {one.is_default && <Badge look="info">{text.isDefault}</Badge>}
            <Badge look={one.status === 'active' ? 'good' : ''}>{text[one.status]}</Badge>
            {mayWrite && !one.is_default && one.status === 'active' && (
              <Button disabled={makeDefault.isPending} onClick={() => makeDefault.run(undefined)}>
                {text.makeDefault}
              </Button>
            )}
            {mayWrite && (
              <Button icon="edit" onClick={() => setEditing(true)}>
                {text.numberEdit}
              </Button>
            )}
          </>
        )
      }
    >
      {(error ?? makeDefault.error) && <ProblemCard error={error ?? makeDefault.error} onRetry={() => void refetch()} />}
      {!one && !error && <Loading />}
      {one && (
        <>
          <Facts
            facts={[
              [text.quality, <Quality key="quality" quality={one.quality} />],
              [text.limit, limit(one.messaging_limit)],
              [text.pace, text.paceOf(number(one.rate))],
              [text.account, one.account_state ?? text.unknown],
              [
                text.restrictions,
                one.restrictions.length === 0
                  ? text.none
                  : one.restrictions.map(({ type, expires_at }) => (
                      <span key={type} className="row">
                        <Badge look="bad">{type}</Badge>
                        {expires_at !== null && (
                          <>
                            {text.until} <Time at={expires_at} long />
                          </>
                        )}
                      </span>
                    )),
              ],
              [text.phoneNumberId, <Copyable key="phone" value={one.phone_number_id} />],
              [text.wabaId, <Copyable key="waba" value={one.waba_id} />],
              [text.created, <Time key="created" at={one.created_at} long />],
            ]}
          />
          {mayWrite && (
            <Section title={text.numberSetup} hint={text.connectText}>
              <ConnectWalk key={one.id} numberId={one.id} isNew={false} />
            </Section>
          )}
        </>
      )}
      {isEditing && one && <EditNumber number={one} onClose={() => setEditing(false)} />}
    </Page>
  );
};
export default NumberPage;

const EditNumber = ({ number, onClose }: { number: BusinessNumber; onClose: () => void }): JSX.Element => {
  const text = useText(settingsText);
  const [rate, setRate] = useState(String(number.rate));
  const [isActive, setActive] = useState(number.status === 'active');
  const update = useWrite(
    (_: undefined, call) =>
      api.updateNumber({ params: { id: number.id }, body: { rate: Number(rate), status: isActive ? 'active' : 'inactive' } }, call),
    () => {
      void refresh('getNumber', 'listNumbers', 'getMe');
      onClose();
    },
  );
  return (
    <FormDialog
      title={`+${number.phone}`}
      write={update}
      fields={['rate', 'status']}
      onSubmit={() => update.run(undefined)}
      onClose={onClose}
    >
      <TextField label={text.paceLabel} type="number" min={1} value={rate} onText={setRate} problem={problemOf(update.error, 'rate')} />
      <CheckField label={text.sends} hint={text.sendsHint} checked={isActive} onCheck={setActive} />
    </FormDialog>
  );
};
