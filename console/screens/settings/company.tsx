import type { JSX } from 'react';
import { useInspectable } from '../../app/inspected.ts';
import { useMe } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

/** The company and who is signed in. */
const Company = (): JSX.Element => {
  const text = useText(settingsText);
  const me = useMe();
  useInspectable({ title: text.company, object: me, call: { operation: 'getMe', input: {} } });
  return (
    <div className="page">
      <header className="page-header">
        <h1>{text.company}</h1>
      </header>
      <div className="page-body">
        <p>{me.company_name}</p>
      </div>
    </div>
  );
};
export default Company;
