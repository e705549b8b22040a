/** Agents that fetch a link before its recipient opens it; `bot` and `preview` end the names of many. */
const previewAgents =
  /whatsapp|facebookexternalhit|slack-imgproxy|ms-?office|outlook|safelinks|proofpoint|mimecast|barracuda|google-safety|googleimageproxy|yahoomailproxy|pinterest|embedly|headless|curl\/|wget\/|python-requests|bot\b|crawler|spider|preview/i;

const isLinkPreview = (userAgent: string): boolean => previewAgents.test(userAgent);

/**
 * Whether a browser opens the page at its top level, because its user followed the link (V24). Browsers write these headers, and no script
 * can: https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Mode
 */
export const isTopLevelNavigation = (method: string, headers: Readonly<Record<string, string | undefined>>): boolean => {
  const userAgent = headers['user-agent'] ?? '';
  const isEarly = /prefetch|prerender|preview/i.test(`${headers['sec-purpose']} ${headers['purpose']}`);
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    userAgent !== '' &&
    !isLinkPreview(userAgent) &&
    !isEarly
  );
};
