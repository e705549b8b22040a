import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Shown } from '../../components/shown.tsx';
import { Button } from '../../components/basics.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { addPasskey, hasPasskeys, isStopped, namedAddress } from '../../data/passkeys.ts';
import { read, refresh } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

/** The user's own passkeys: to add one in this browser, and to remove those of devices that are lost. */
export const Passkeys = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(settingsText);
  const query = useQuery(read('listPasskeys'));
  const changed = (message: string) => (): void => {
    toast(message);
    void refresh('listPasskeys');
  };
  const add = useWrite<undefined, void>(() => addPasskey(), changed(text.passkeyAdded));
  const remove = useWrite((id: number) => api.deletePasskey({ params: { id } }), changed(text.passkeyRemoved));
  return (
    <FormDialog
      title={text.passkeys}
      action={text.passkeyAdd}
      isDisabled={!hasPasskeys}
      write={{ isPending: add.isPending, error: isStopped(add.error) ? null : add.error }}
      onSubmit={() => add.run(undefined)}
      onClose={onClose}
    >
      <p className="muted">{text.passkeysHint}</p>
      {namedAddress !== undefined && (
        <p>
          {text.passkeysNeedName} <a href={namedAddress}>localhost</a>
        </p>
      )}
      {remove.error && <ProblemCard error={remove.error} />}
      <Shown query={query} rows={2}>
        {({ data }) =>
          data.map(({ id, name, created_at, last_used_at }) => (
            <div key={id} className="row">
              <span className="grow cut">{name}</span>
              <span className="muted">
                <Time at={last_used_at ?? created_at} />
              </span>
              <Button small aria-label={`${text.passkeyRemove}: ${name}`} isSoftDisabled={remove.isPending} onClick={() => remove.run(id)}>
                {text.passkeyRemove}
              </Button>
            </div>
          ))
        }
      </Shown>
    </FormDialog>
  );
};
