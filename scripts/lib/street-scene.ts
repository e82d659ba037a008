import sharp from "sharp";
import { SCENE, drawCode, withGrain } from "./drawing.ts";

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Draws the street scene of the README: people, a car with its plate, signs, a code on a poster. */
export async function drawStreetScene(): Promise<Buffer> {
  const { widthPixels: width, heightPixels: height } = SCENE;
  const qr = await drawCode("https://example.com/members/4711", { format: "QRCode", widthPixels: 210 });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    ${definitions()}
    <rect width="${width}" height="620" fill="url(#sky)"/>
    ${hills()}
    <rect y="600" width="${width}" height="400" fill="url(#road)"/>
    <rect y="590" width="${width}" height="34" fill="#b9b4aa"/>
    ${poster()}
    ${signPost()}
    ${car({ x: 500, y: 590, scale: 1.05 })}
    ${person({ x: 250, y: 430, scale: 1.25 }, { skin: "#e0ac8a", hair: "#3a2415", shirt: "#31588a" })}
    ${person({ x: 440, y: 455, scale: 1.1 }, { skin: "#8d5b3f", hair: "#17110e", shirt: "#a3402f" })}
    ${person({ x: 1080, y: 440, scale: 1.15 }, { skin: "#f0c8a8", hair: "#8a5a2a", shirt: "#3c7a52" })}
  </svg>`;
  const drawn = await sharp(new TextEncoder().encode(svg))
    .composite([{ input: qr, left: 1275, top: 310 }])
    .png()
    .toBuffer();
  return await withGrain(drawn);
}

/** The gradients that a drawing of {@link person} and of the street refers to. */
export function definitions(): string {
  return `<defs>
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="#8fb8dc"/><stop offset="1" stop-color="#dfe8ee"/></linearGradient>
    <linearGradient id="road" x2="0" y2="1"><stop stop-color="#6d6f72"/><stop offset="1" stop-color="#46484b"/></linearGradient>
    <linearGradient id="body" x2="0" y2="1"><stop stop-color="#c93a34"/><stop offset="1" stop-color="#7d1d1a"/></linearGradient>
    <linearGradient id="glass" x2="1" y2="1"><stop stop-color="#9fb6c6"/><stop offset="1" stop-color="#3d4e5b"/></linearGradient>
    <radialGradient id="shade" cx=".35" cy=".35" r=".8"><stop stop-color="#fff" stop-opacity=".35"/><stop offset=".6" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".35"/></radialGradient>
    <radialGradient id="lamp"><stop stop-color="#fffbe8"/><stop offset=".6" stop-color="#d9d2bd"/><stop offset="1" stop-color="#77746c"/></radialGradient>
    <linearGradient id="fold" x2="1"><stop stop-color="#000" stop-opacity=".34"/><stop offset=".3" stop-color="#fff" stop-opacity=".12"/><stop offset=".62" stop-color="#000" stop-opacity=".05"/><stop offset="1" stop-color="#000" stop-opacity=".4"/></linearGradient>
    <filter id="far"><feGaussianBlur stdDeviation="7"/></filter>
  </defs>`;
}

/** Out-of-focus hills, as in the background of a photo. */
function hills(): string {
  return `<path d="M0 400 Q260 250 560 380 T1120 330 T1600 300 L1600 620 L0 620 Z" fill="#9db3a6" filter="url(#far)"/>
    <path d="M0 490 Q300 400 700 470 T1600 430 L1600 620 L0 620 Z" fill="#87a173" filter="url(#far)"/>`;
}

function poster(): string {
  return `<rect x="1230" y="250" width="310" height="340" fill="#f4f1ea" stroke="#777" stroke-width="5"/>
    <text x="1385" y="294" font-family="sans-serif" font-size="34" font-weight="700" text-anchor="middle" fill="#222">Members</text>`;
}

function signPost(): string {
  return `<rect x="92" y="150" width="14" height="470" fill="#8b8f92"/>
    <path d="M63 150 L135 150 L165 180 L165 252 L135 282 L63 282 L33 252 L33 180 Z" fill="#b3161b" stroke="#fff" stroke-width="7"/>
    <text x="99" y="232" font-family="sans-serif" font-size="44" font-weight="700" text-anchor="middle" fill="#fff">STOP</text>
    <rect x="6" y="310" width="190" height="48" rx="5" fill="#1d4f91" stroke="#fff" stroke-width="4"/>
    <text x="101" y="344" font-family="sans-serif" font-size="29" font-weight="700" text-anchor="middle" fill="#fff">Linden Ave</text>`;
}

function car({ x, y, scale }: Placed): string {
  return `<g transform="translate(${x} ${y}) scale(${scale})">
    <ellipse cx="240" cy="300" rx="260" ry="26" fill="#000" opacity=".35"/>
    <path d="M70 120 L120 20 Q130 4 150 4 L330 4 Q350 4 360 20 L410 120 Z" fill="#8d2420"/>
    <path d="M96 116 L138 30 L342 30 L384 116 Z" fill="url(#glass)"/>
    <rect x="20" y="112" width="440" height="150" rx="28" fill="url(#body)"/>
    <rect x="40" y="236" width="400" height="44" rx="14" fill="#3a3a3c"/>
    <rect x="44" y="264" width="76" height="44" rx="12" fill="#161616"/>
    <rect x="360" y="264" width="76" height="44" rx="12" fill="#161616"/>
    <path d="M34 150 L124 164 L118 176 L40 172 Z M446 150 L356 164 L362 176 L440 172 Z" fill="url(#lamp)"/>
    <rect x="150" y="138" width="180" height="42" rx="8" fill="#2a2a2c"/>
    <rect x="152" y="196" width="176" height="42" rx="4" fill="#f8f8f4" stroke="#111" stroke-width="3"/>
    <rect x="154" y="198" width="18" height="38" fill="#1d4fa3"/>
    <text x="250" y="229" font-family="DejaVu Sans, sans-serif" font-size="25" font-weight="700" text-anchor="middle" fill="#111">M VL 4711</text>
  </g>`;
}

/** A person from the front. At scale 1 the head is an ellipse of 84 × 100 units, its middle four units above the place. */
export function person(
  { x, y, scale }: Placed,
  { skin, hair, shirt }: { skin: string; hair: string; shirt: string },
): string {
  return `<g transform="translate(${x} ${y}) scale(${scale})">
    <ellipse cx="0" cy="390" rx="70" ry="12" fill="#000" opacity=".35"/>
    <rect x="-38" y="210" width="34" height="180" fill="#2c3444"/><rect x="4" y="210" width="34" height="180" fill="#252c3a"/>
    <path d="M-62 96 Q-60 66 -22 60 L22 60 Q60 66 62 96 L52 230 L-52 230 Z" fill="${shirt}"/>
    <path d="M-62 96 Q-60 66 -22 60 L22 60 Q60 66 62 96 L52 230 L-52 230 Z" fill="url(#fold)"/>
    <path d="M-22 60 L0 92 L22 60 M0 92 V230" stroke="#000" stroke-opacity=".35" stroke-width="3" fill="none"/>
    <path d="M-62 96 L-74 216 L-54 220 L-46 110 Z M62 96 L74 216 L54 220 L46 110 Z" fill="${shirt}"/>
    <circle cx="-64" cy="226" r="13" fill="${skin}"/><circle cx="64" cy="226" r="13" fill="${skin}"/>
    <rect x="-15" y="36" width="30" height="34" fill="${skin}"/>
    <ellipse cx="0" cy="-4" rx="42" ry="50" fill="${hair}"/>
    <ellipse cx="0" cy="6" rx="34" ry="43" fill="${skin}"/>
    <ellipse cx="-36" cy="8" rx="6" ry="11" fill="${skin}"/><ellipse cx="36" cy="8" rx="6" ry="11" fill="${skin}"/>
    <path d="M-36 -10 Q-30 -46 0 -46 Q30 -46 36 -10 Q20 -30 0 -29 Q-20 -30 -36 -10 Z" fill="${hair}"/>
    <ellipse cx="-13" cy="0" rx="6" ry="3.6" fill="#fff"/><ellipse cx="13" cy="0" rx="6" ry="3.6" fill="#fff"/>
    <circle cx="-13" cy="0" r="3.2" fill="#2a1c14"/><circle cx="13" cy="0" r="3.2" fill="#2a1c14"/>
    <path d="M-21 -9 Q-13 -14 -6 -9 M6 -9 Q13 -14 21 -9" stroke="${hair}" stroke-width="3" fill="none"/>
    <path d="M-1 4 Q-6 16 0 18 Q4 18 5 15" stroke="#00000055" stroke-width="2.4" fill="none"/>
    <path d="M-12 29 Q0 35 12 29 Q0 40 -12 29 Z" fill="#9c4a43"/>
    <ellipse cx="0" cy="2" rx="42" ry="50" fill="url(#shade)"/>
  </g>`;
}
