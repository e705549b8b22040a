import { type JSX, useState } from 'react';
import { Page } from '../../components/page.tsx';
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
  const [numberId, setNumberId] = useState<number>();
  return (
    <Page title={text.numberConnect}>
      {!mayWrite && <p className="notice info">{text.readOnly(shell.admin)}</p>}
      {mayWrite && numberId === undefined && (
        <div className="walk">
          <Steps at={0} outcome="open" />
          <AddNumber onAdded={setNumberId} />
        </div>
      )}
      {mayWrite && numberId !== undefined && <ConnectWalk numberId={numberId} isNew />}
    </Page>
  );
};
export default Connect;
