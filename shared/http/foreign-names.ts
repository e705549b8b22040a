/** What fields of ours are called in the APIs of the provider and of other products, in lower case without dashes. */
const foreignNames: Readonly<Record<string, readonly string[]>> = {
  phone: ['to', 'recipient', 'recipientphone', 'receiver', 'number', 'mobile', 'msisdn', 'waid', 'phonenumber', 'whatsappnumber'],
  message: ['body', 'text', 'content', 'messagetext', 'caption'],
  number_id: ['from', 'sender', 'phonenumberid', 'messagingservicesid'],
  template_name: ['template', 'contentsid', 'elementname', 'hsm'],
  template_language: ['languagecode', 'lang', 'locale'],
  components: ['contentvariables', 'parameters', 'templateparams', 'placeholders'],
  media_url: ['link', 'url', 'fileurl'],
  context_message_id: ['context', 'replyto', 'inreplyto', 'quotedmessageid'],
  scheduled_at: ['sendat', 'sendtime', 'deliverat', 'scheduletime'],
};

const owners = Map.groupBy(
  Object.entries(foreignNames).flatMap(([own, names]) => names.map((name) => ({ own, name }))),
  ({ name }) => name,
);

/** The field of an operation that another API calls by this name; undefined where the operation has none. */
export const ownNameOf = (name: string, known: readonly string[]): string | undefined =>
  owners.get(name.toLowerCase().replaceAll(/[-_ ]/g, ''))?.find(({ own }) => known.includes(own))?.own;
