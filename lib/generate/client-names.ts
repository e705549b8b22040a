/** Where the path names no resource of its own, or the derived name reads badly. */
const exceptions: Readonly<Record<string, string>> = {
  getBoard: 'leads.getBoard',
  listVerificationKeys: 'verificationKeys.list',
  createVerificationKey: 'verificationKeys.create',
  getVerificationReport: 'verification.getReport',
  getShopSettings: 'shopSettings.get',
  updateShopSettings: 'shopSettings.update',
  listPublicCategories: 'storefront.listCategories',
  listPublicProducts: 'storefront.listProducts',
  getPublicProduct: 'storefront.getProduct',
  startInstallation: 'connections.startInstallation',
  finishInstallation: 'connections.finishInstallation',
  receivePlatformNotice: 'connections.receivePlatformNotice',
  listAllDeliveries: 'deliveries.list',
  syncTemplates: 'templates.syncAll',
  signInWithPasskey: 'passkeys.signIn',
  showReference: 'reference.show',
  showReferenceFile: 'reference.showFile',
  showReferencePage: 'reference.showPage',
};

/**
 * How the client calls an operation: `contacts.create` for createContact, `contacts.listNotes` for listContactNotes. The resource is where the
 * path begins, the method what the operation does to it.
 */
export const clientNameOf = (operationId: string, path: string): [resource: string, method: string] => {
  const [given, shortened] = exceptions[operationId]?.split('.') ?? [];
  if (given !== undefined && shortened !== undefined) return [given, shortened];
  const resource = path
    .replace(/^\/(?:api\/)?(?:v1\/)?(?:crm\/(?:automation\/)?|shop\/)?/, '')
    .replace('verification/admin/', 'verification-')
    .replace(/[/.].*$/, '')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const plural = `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '');
  return [resource, operationId.replace(new RegExp(`(?:${plural}|${singular})(?=[A-Z]|$)`), '')];
};
