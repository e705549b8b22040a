import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/**
 * A device with passkeys, in software: ES256, verified user, no attestation. What it gives is what a browser's toJSON() would:
 * https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data
 */
export interface Authenticator {
  create: (options: Record<string, unknown>, more?: Partial<Ceremony>) => Attested;
  get: (options: Record<string, unknown>, more?: Partial<Ceremony>) => Asserted;
}

/** What the device does otherwise than it should. */
interface Ceremony {
  origin: string;
  rpId: string;
  challenge: string;
  counter: number;
  userVerified: boolean;
  userHandle: string;
}

export interface Attested {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; attestationObject: string };
}

export interface Asserted {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string };
}

export const authenticator = (origin = 'https://api.example.test'): Authenticator => {
  const id = randomBytes(32);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  let counter = 0;
  let userHandle = '';
  const clientData = (type: string, { challenge }: Record<string, unknown>, more: Partial<Ceremony>): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge: more.challenge ?? challenge, origin: more.origin ?? origin, crossOrigin: false }));
  const authenticatorData = (rpId: unknown, more: Partial<Ceremony>, attested: Buffer = Buffer.alloc(0)): Buffer => {
    const flags = 0x01 | (more.userVerified === false ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(more.counter ?? ++counter);
    const rpIdHash = createHash('sha256')
      .update(more.rpId ?? String(rpId))
      .digest();
    return Buffer.concat([rpIdHash, Buffer.from([flags]), count, attested]);
  };
  const base = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' as const };
  return {
    create: (options, more = {}) => {
      ({ id: userHandle } = options['user'] as { id: string });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const { id: rpId } = options['rp'] as { id: string };
      const data = authenticatorData(rpId, more, Buffer.concat([Buffer.alloc(16), length, id, key]));
      const attestationObject = Buffer.concat([
        Buffer.from('a3', 'hex'),
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        Buffer.from('a0', 'hex'),
        cborText('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ]);
      return {
        ...base,
        response: {
          clientDataJSON: clientData('webauthn.create', options, more).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
        },
      };
    },
    get: (options, more = {}) => {
      const client = clientData('webauthn.get', options, more);
      const data = authenticatorData(options['rpId'], more);
      const signature = sign('sha256', Buffer.concat([data, createHash('sha256').update(client).digest()]), privateKey);
      return {
        ...base,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: more.userHandle ?? userHandle,
        },
      };
    },
  };
};

/** Of at most 23 characters. */
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
