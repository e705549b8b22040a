export interface Place {
  latitude: number;
  longitude: number;
}

const number = String.raw`(-?\d{1,3}(?:\.\d+)?)`;
/** The marker of a link to a map says more exactly what is meant than the middle of its picture. */
const forms = [
  new RegExp(`!3d${number}!4d${number}`),
  new RegExp(String.raw`(?:[?&](?:q|query|ll|center|destination)=|geo:|@)${number}(?:,|%2C)${number}`, 'i'),
  new RegExp(String.raw`^\s*${number}\s*[,;\s]\s*${number}\s*$`),
];

/** Where a pasted text leads: two numbers, or a link to a map that has them; undefined: nowhere on earth. */
export const placeIn = (text: string): Place | undefined => {
  for (const form of forms) {
    const [, latitude, longitude] = form.exec(text) ?? [];
    if (latitude === undefined || longitude === undefined) continue;
    const place = { latitude: Number(latitude), longitude: Number(longitude) };
    if (Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180) return place;
  }
  return undefined;
};
