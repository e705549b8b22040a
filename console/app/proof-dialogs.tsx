import { type JSX, lazy, Suspense, useSyncExternalStore } from 'react';
import { Opening } from '../components/opening.tsx';
import { isProofRequested, subscribeProof } from '../data/proof.ts';
import { signInText } from '../text/sign-in.ts';
import { withTexts } from './with-texts.ts';

const ProofDialog = lazy(withTexts([signInText], () => import('./proof-dialog.tsx')));

/** Shows the dialog while a call waits for it. It is rare, and its part of the program comes with it. */
export const ProofDialogs = (): JSX.Element | null =>
  useSyncExternalStore(subscribeProof, isProofRequested) ? (
    <Suspense fallback={<Opening />}>
      <ProofDialog />
    </Suspense>
  ) : null;
