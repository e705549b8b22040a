import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { StoreConnection } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Button, Empty } from '../../components/basics.tsx';
import { Meter } from '../../components/charts/progress.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Facts, Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { formatCount, Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { signOut, useMay, useMe } from '../../data/session.ts';
import { dropStoreClaim, storeClaim, type StoreClaim } from '../../data/store-claim.ts';
import { shopText } from '../../text/shop.ts';
import { useLocale, useText } from '../../text/text.ts';
import { AddSource } from './add-source.tsx';
import './shop.css';

const isImporting = ({ status, import: taken }: StoreConnection): boolean =>
  status === 'active' && (taken === null || taken.status === 'running');

/** The stores that are connected: how far their import is, whether their posts arrive, and what to do where they do not. */
const Connections = (): JSX.Element => {
  const text = useText(shopText);
  const isAdmin = useMay('admin');
  const [claim, setClaim] = useState(storeClaim);
  const { dialog, open, close } = useDialog();
  const input = { query: { limit: 100 } };
  const query = useQuery({
    ...read('listConnections', input),
    refetchInterval: ({ state }) => (state.data?.data.some(isImporting) ? 2_000 : false),
  });
  useInspectable({ title: text.connections, call: { operation: 'listConnections', input } });
  const add = (): void => open(<AddSource onClose={close} />);
  const addButton = isAdmin && (
    <Button look="primary" icon="plus" onClick={add}>
      {text.addSource}
    </Button>
  );
  return (
    <Page title={text.connections} actions={addButton}>
      {claim && (
        <Claim
          claim={claim}
          onEnd={() => {
            dropStoreClaim();
            setClaim(undefined);
          }}
        />
      )}
      <Shown query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="link" title={text.noConnections}>
              <p>{text.noConnectionsHint}</p>
              {addButton}
            </Empty>
          ) : (
            <ul className="stores stack">
              {data.map((connection) => (
                <Store key={connection.id} connection={connection} isAdmin={isAdmin} open={open} close={close} />
              ))}
            </ul>
          )
        }
      </Shown>
      {dialog}
    </Page>
  );
};
export default Connections;

/** The store that was just approved, and the company that it will be of. Nothing is connected before it is confirmed here. */
const Claim = ({ claim: { shop, claim }, onEnd }: { claim: StoreClaim; onEnd: () => void }): JSX.Element => {
  const text = useText(shopText);
  const { company_name: company } = useMe();
  const isAdmin = useMay('admin');
  const connect = useWrite(
    (_: undefined, call) => api.claimConnection({ body: { claim, shop } }, call),
    () => {
      toast(text.connectedStore(shop));
      void refresh('listConnections');
      onEnd();
    },
  );
  const leave = useWrite(() => signOut('/shop/connections'));
  return (
    <section className="card claim" aria-label={text.claimTitle(shop)}>
      <h2>{text.claimTitle(shop)}</h2>
      <p>{isAdmin ? text.claimText(company) : text.claimNeedsAdmin(company)}</p>
      {connect.error && <ProblemCard error={connect.error} />}
      {leave.error && <ProblemCard error={leave.error} />}
      <div className="row wrap">
        {isAdmin && (
          <Button look="primary" isSoftDisabled={connect.isPending} onClick={() => connect.run(undefined)}>
            {text.connectTo(company)}
          </Button>
        )}
        <Button isSoftDisabled={leave.isPending} onClick={() => leave.run(undefined)}>
          {text.otherCompany}
        </Button>
        <Button look="quiet" onClick={onEnd}>
          {text.notNow}
        </Button>
      </div>
    </section>
  );
};

interface StoreProps {
  connection: StoreConnection;
  isAdmin: boolean;
  open: (dialog: JSX.Element) => void;
  close: () => void;
}

const Store = ({ connection, isAdmin, open, close }: StoreProps): JSX.Element => {
  const text = useText(shopText);
  const { id, shop, status, currency, webhooks_registered_at: registered, connected_at: connected } = connection;
  const isActive = status === 'active';
  const again = useWrite(
    (_: undefined, call) => api.importConnection({ params: { id } }, call),
    () => refresh('listConnections'),
  );
  const disconnect = (): void =>
    open(
      <ConfirmDialog
        title={text.disconnectTitle(shop)}
        action={text.disconnect}
        send={(call) => api.deleteConnection({ params: { id } }, call)}
        onDone={() => {
          close();
          void refresh('listConnections');
        }}
        onClose={close}
      >
        <p>{text.disconnectText}</p>
      </ConfirmDialog>,
    );
  return (
    <li className="card store" aria-label={shop}>
      <div className="row">
        <Icon name="building" size={20} />
        <h2 className="grow cut">{shop}</h2>
        {isActive ? <Badge look="good">{text.active}</Badge> : <Badge>{text.disconnected}</Badge>}
      </div>
      <Import connection={connection} />
      {again.error && <ProblemCard error={again.error} />}
      <Facts
        facts={[
          [text.connectedSince, <Time key="connected" at={connected} long />],
          currency === null ? undefined : [text.currency, currency],
          isActive ? [text.subscribed, registered === null ? text.notYet : <Time key="registered" at={registered} long />] : undefined,
        ]}
      />
      {isAdmin && isActive && (
        <div className="row wrap">
          <Button icon="refresh" isSoftDisabled={again.isPending || isImporting(connection)} onClick={() => again.run(undefined)}>
            {text.importAgain}
          </Button>
          <Button look="quiet" onClick={disconnect}>
            {text.disconnect}
          </Button>
        </div>
      )}
    </li>
  );
};

/** How far the import is, or how it ended. */
const Import = ({ connection }: { connection: StoreConnection }): JSX.Element | null => {
  const text = useText(shopText);
  const { tag } = useLocale();
  const { import: taken } = connection;
  if (isImporting(connection))
    return (
      <div className="stack" role="status" aria-label={text.importing}>
        <Meter name={`${text.importing}: ${text.products}`} used={taken?.products ?? 0} limit={taken?.products_total ?? null} />
        <Meter name={`${text.importing}: ${text.orders}`} used={taken?.orders ?? 0} limit={taken?.orders_total ?? null} />
      </div>
    );
  if (taken === null) return null;
  const count = (each: number): string => formatCount(tag, each);
  if (taken.status === 'failed' && connection.status === 'active')
    return (
      <div className="notice bad" role="alert">
        <Icon name="alert" />
        <p className="grow">{text.importFailed(taken.products, taken.orders)}</p>
      </div>
    );
  return (
    <p>
      {text.imported(taken.products, taken.orders)}
      {taken.failed > 0 && <span className="muted"> {text.unreadable(count(taken.failed))}</span>}
    </p>
  );
};
