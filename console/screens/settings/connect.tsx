import type { JSX } from 'react';
import { Page } from '../../components/page.tsx';
import { useFilter } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import { AddNumber } from './add-number.tsx';
import { ConnectWalk, Steps } from './connect-walk.tsx';

/** From the ids and secrets of the provider to a number that receives, checked at each step. */
const Connect = (): JSX.Element => {
  const text = useText(settingsText);
  const shell = useText(shellText);
  const mayWrite = useMay('admin');
  // in the address: a page that is loaded again goes on, with the number that is there by now
  const [number, setNumber] = useFilter('number');
  const numberId = number === undefined ? undefined : Number(number);
  return (
    <Page title={text.numberConnect}>
      {!mayWrite && <p className="notice info">{text.readOnly(shell.admin)}</p>}
      {mayWrite && numberId === undefined && (
        <div className="walk">
          <Steps at={0} outcome="open" />
          <AddNumber onAdded={(id) => setNumber(String(id))} />
        </div>
      )}
      {mayWrite && numberId !== undefined && <ConnectWalk key={numberId} numberId={numberId} isNew />}
    </Page>
  );
};
export default Connect;
