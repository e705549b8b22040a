import { type JSX, type ReactNode, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button } from './basics.tsx';

/** A dialog over the page: it holds the focus, Escape closes it unless it must be answered, and the focus returns. */
export const Dialog = ({
  title,
  onClose,
  children,
  footer,
  wide = false,
  mustAnswer = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
  /** Nothing closes it but its own buttons: no Escape, and no press beside it. */
  mustAnswer?: boolean;
}): JSX.Element => {
  const text = useText(shellText);
  return (
    <ModalOverlay
      isOpen
      isDismissable={!mustAnswer}
      isKeyboardDismissDisabled={mustAnswer}
      onOpenChange={(open) => open || onClose()}
      className="scrim"
    >
      <Modal className={`dialog ${wide ? 'wide' : ''}`}>
        <AriaDialog>
          <header>
            <Heading slot="title">{title}</Heading>
            {!mustAnswer && <Button look="quiet" small icon="close" label={text.close} onClick={onClose} />}
          </header>
          <div className="content">{children}</div>
          {footer !== undefined && <footer>{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
};

/** The one dialog of a screen: what is opened is shown until it is closed, or something else is opened. */
export const useDialog = (): { dialog: ReactNode; open: (dialog: ReactNode) => void; close: () => void } => {
  const [dialog, open] = useState<ReactNode>(null);
  return { dialog, open, close: () => open(null) };
};
