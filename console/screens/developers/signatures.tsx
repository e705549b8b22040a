import { type JSX, useEffect, useState } from 'react';
import { Button, Copyable } from '../../components/basics.tsx';
import { LongTextField, TextField } from '../../components/fields.tsx';
import { Icon } from '../../components/icons.tsx';
import { Page } from '../../components/page.tsx';
import { productNow } from '../../components/time.tsx';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { type Signed, signatureOf, type Verdict, verify } from './signature.ts';

const nothing: Signed = { secret: '', id: '', timestamp: '', body: '' };

/** Says whether a call that was received is signed rightly, and if not, why. In this page alone; nothing is sent or kept. */
const Signatures = (): JSX.Element => {
  const text = useText(developersText);
  const [signed, setSigned] = useState(nothing);
  const [header, setHeader] = useState('');
  const [verdict, setVerdict] = useState<Verdict>();
  const isWhole = header.trim() !== '' && Object.values(signed).every((each) => each.trim() !== '');
  useEffect(() => {
    let isCurrent = true;
    if (isWhole)
      void verify(signed, header, Math.floor(productNow() / 1_000)).then((found) => {
        if (isCurrent) setVerdict(found);
      });
    else setVerdict(undefined);
    return () => {
      isCurrent = false;
    };
  }, [signed, header, isWhole]);
  const set = (name: keyof Signed) => (value: string) => setSigned((before) => ({ ...before, [name]: value }));
  const fillIn = (): void => {
    const example: Signed = {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      id: 'evt_01J9Z3V8K5Q2M7N4P6R8S0T2V4',
      timestamp: String(Math.floor(productNow() / 1_000)),
      body: '{"event":"webhook.test","data":{}}',
    };
    void signatureOf(example).then((signature) => {
      setSigned(example);
      setHeader(signature ?? '');
    });
  };
  return (
    <Page
      title={text.signatures}
      actions={
        <Button icon="edit" onClick={fillIn}>
          {text.sigExample}
        </Button>
      }
    >
      <p className="muted lead">{text.signaturesHint}</p>
      <div className="two-columns">
        <div className="form">
          <TextField
            label={text.sigSecret}
            type="password"
            autoComplete="off"
            value={signed.secret}
            onText={set('secret')}
            placeholder="whsec_…"
            dir="ltr"
          />
          <TextField label={text.sigId} value={signed.id} onText={set('id')} placeholder="evt_…" spellCheck={false} dir="ltr" />
          <TextField
            label={text.sigTimestamp}
            hint={text.sigTimestampHint}
            inputMode="numeric"
            value={signed.timestamp}
            dir="ltr"
            onText={set('timestamp')}
          />
          <TextField label={text.sigSignature} value={header} onText={setHeader} placeholder="v1,…" spellCheck={false} dir="ltr" />
        </div>
        <div className="form">
          <LongTextField label={text.sigBody} rows={11} value={signed.body} onText={set('body')} spellCheck={false} dir="ltr" />
          <div role="status" className="signature-result">
            <Result verdict={verdict} />
          </div>
        </div>
      </div>
    </Page>
  );
};
export default Signatures;

const Result = ({ verdict }: { verdict: Verdict | undefined }): JSX.Element => {
  const text = useText(developersText);
  if (!verdict) return <p className="muted">{text.sigWaiting}</p>;
  const { title, detail, look } = {
    good: { title: text.sigGood, detail: text.sigGoodText, look: 'good' },
    old: { title: text.sigOld, detail: text.sigOldText, look: 'warn' },
    future: { title: text.sigFuture, detail: text.sigOldText, look: 'warn' },
    no_secret: { title: text.sigNoSecret, detail: '', look: 'bad' },
    bad: { title: text.sigBad, detail: verdict.outcome === 'bad' && verdict.isTrimmed ? text.sigBadTrimmed : text.sigBadText, look: 'bad' },
  }[verdict.outcome];
  return (
    <div className={`notice ${look}`}>
      <Icon name={look === 'good' ? 'check' : 'alert'} />
      <div className="grow stack" style={{ gap: 6 }}>
        <strong>{title}</strong>
        {detail !== '' && <span>{detail}</span>}
        {verdict.outcome === 'bad' && (
          <span>
            {text.sigExpected}
            <Copyable value={verdict.expected} />
          </span>
        )}
      </div>
    </div>
  );
};
