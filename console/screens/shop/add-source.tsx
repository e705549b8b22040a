import { type JSX, useState } from 'react';
import type { MachineTokenWithSecret } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { shopText } from '../../text/shop.ts';
import { useText } from '../../text/text.ts';

const sources = ['webshop', 'checkout', 'logistics', 'erp'] as const;
type Source = (typeof sources)[number];

/** What a shop can be connected to: the store app installs itself, everything else gets an address to post to. */
export const AddSource = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(shopText);
  const [made, setMade] = useState<MachineTokenWithSecret>();
  const create = useWrite(
    (source: Source, call) =>
      api.createMachineToken(
        {
          body:
            source === 'erp'
              ? { kind: 'erp_token', name: text.sourceErp }
              : { kind: 'webhook_token', receiver: source, make_shared_secret: true },
        },
        call,
      ),
    ({ data }) => {
      void refresh('listMachineTokens');
      setMade(data);
    },
  );
  const names: Readonly<Record<Source, readonly [string, string]>> = {
    webshop: ['WooCommerce', text.sourceWebshopHint],
    checkout: [text.sourceCheckout, text.sourceCheckoutHint],
    logistics: [text.sourceLogistics, text.sourceLogisticsHint],
    erp: [text.sourceErp, text.sourceErpHint],
  };
  if (made)
    return (
      <SecretDialog
        title={text.addressMade}
        secrets={[
          { name: text.address, value: made.url },
          ...(made.kind === 'erp_token' ? [{ name: text.token, value: made.secret }] : []),
          ...(made.shared_secret === null ? [] : [{ name: text.signingSecret, value: made.shared_secret }]),
        ]}
        onClose={onClose}
      />
    );
  return (
    <Dialog title={text.addSource} onClose={onClose}>
      {create.error && <ProblemCard error={create.error} />}
      <ul className="sources stack">
        <li>
          <Icon name="building" size={20} />
          <span className="grow">
            <strong>Shopify</strong>
            <span className="muted">{text.sourceShopifyHint}</span>
          </span>
        </li>
        {sources.map((source) => (
          <li key={source}>
            <Icon name="link" size={20} />
            <span className="grow">
              <strong>{names[source][0]}</strong>
              <span className="muted">{names[source][1]}</span>
            </span>
            <Button
              small
              isSoftDisabled={create.isPending}
              aria-label={`${text.makeAddress}: ${names[source][0]}`}
              onClick={() => create.run(source)}
            >
              {text.makeAddress}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
};
