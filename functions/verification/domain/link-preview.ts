/** Those that look at links before people do: they must not use a link up (V24). */
const previewAgents =
  /whatsapp|facebookexternalhit|facebot|slackbot|slack-imgproxy|telegrambot|twitterbot|linkedinbot|discordbot|skypeuripreview|microsoft ?preview|ms-?office|outlook|safelinks|proofpoint|mimecast|barracuda|bingpreview|googlebot|google-safety|applebot|pinterest|embedly|headless|curl\/|wget\/|python-requests|bot\b|crawler|spider|preview/i;

export const isLinkPreview = (userAgent: string | undefined): boolean => userAgent !== undefined && previewAgents.test(userAgent);
