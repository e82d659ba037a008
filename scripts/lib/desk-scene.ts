import sharp from "sharp";
import { SCENE, drawCode, withGrain } from "./drawing.ts";

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly turnDegrees: number;
  readonly scale: number;
}

const SANS = `font-family="DejaVu Sans, sans-serif"`;
const MONO = `font-family="DejaVu Sans Mono, monospace"`;

/** Draws the desk scene of the README: a screen, papers and cards of invented people, a badge, a parcel and a tattooed arm. */
export async function drawDeskScene(): Promise<Buffer> {
  const { widthPixels: width, heightPixels: height } = SCENE;
  const barcode = await drawCode("4006381333931", { format: "EAN13", widthPixels: 150 });
  const qr = await drawCode("https://example.com/visit/0815", { format: "QRCode", widthPixels: 44 });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    ${definitions()}
    <rect width="${width}" height="${height}" fill="url(#desk)"/>
    ${placed({ x: 60, y: 70, turnDegrees: 0, scale: 0.55 }, screen())}
    ${placed({ x: 600, y: 60, turnDegrees: 4, scale: 0.66 }, letter())}
    ${placed({ x: 1000, y: 130, turnDegrees: -5, scale: 0.66 }, passport())}
    ${placed({ x: 80, y: 520, turnDegrees: -6, scale: 0.66 }, identityCard())}
    ${placed({ x: 500, y: 560, turnDegrees: 5, scale: 0.66 }, paymentCard())}
    ${placed({ x: 1350, y: 520, turnDegrees: 3, scale: 0.66 }, badge())}
    ${placed({ x: 920, y: 560, turnDegrees: -2, scale: 0.76 }, parcel())}
    ${arm()}
  </svg>`;
  const drawn = await sharp(new TextEncoder().encode(svg))
    .composite([
      { input: barcode, left: 950, top: 622 },
      { input: qr, left: 1400, top: 668 },
    ])
    .png()
    .toBuffer();
  return await withGrain(drawn);
}

function placed({ x, y, turnDegrees, scale }: Placed, drawing: string): string {
  return `<g transform="translate(${x} ${y}) rotate(${turnDegrees}) scale(${scale})" filter="url(#lying)">${drawing}</g>`;
}

function definitions(): string {
  return `<defs>
    <linearGradient id="desk" x2="1" y2="1"><stop stop-color="#5d6a66"/><stop offset="1" stop-color="#3e4a4a"/></linearGradient>
    <linearGradient id="card" x2="1" y2="1"><stop stop-color="#24407c"/><stop offset="1" stop-color="#101f44"/></linearGradient>
    <linearGradient id="identity" x2="1" y2="1"><stop stop-color="#dbe8e4"/><stop offset="1" stop-color="#c3d3e6"/></linearGradient>
    <linearGradient id="skin" x2="0" y2="1"><stop stop-color="#e6b998"/><stop offset="1" stop-color="#c48f6c"/></linearGradient>
    <filter id="lying" x="-10%" y="-10%" width="120%" height="120%"><feDropShadow dx="4" dy="7" stdDeviation="6" flood-opacity=".45"/></filter>
  </defs>`;
}

function lines(
  count: number,
  { x, y, width, step }: { x: number; y: number; width: number; step: number },
): string {
  const words = [
    "With regard to your letter of the third of May",
    "we confirm the account named below and its",
    "holder, whose address has changed to 14 Mill",
    "Road, Fernhill. Please send the signed copy to",
    "the office before the end of the month, and",
    "keep the second for your own records. The sum",
  ];
  return Array.from(
    { length: count },
    (_none, index) =>
      `<text x="${x}" y="${y + index * step}" ${SANS} font-size="13.5" fill="#222" textLength="${width}">${words[index % words.length]}</text>`,
  ).join("");
}

function screen(): string {
  const rows = ["Ada Example", "Ben Sample", "Cleo Person", "Dan Nobody", "Eve Invented"].map(
    (name, index) =>
      `<rect x="210" y="${110 + index * 44}" width="420" height="34" rx="5" fill="#fff"/>
       <text x="224" y="${133 + index * 44}" ${SANS} font-size="17" fill="#223">${name}</text>
       <text x="430" y="${133 + index * 44}" ${SANS} font-size="15" fill="#667">patient ${4711 + index * 13}</text>`,
  );
  return `<rect width="670" height="420" rx="16" fill="#17181a"/>
    <rect x="16" y="16" width="638" height="380" fill="#e9eef5"/>
    <rect x="16" y="16" width="638" height="44" fill="#2b5aa8"/>
    <text x="34" y="46" ${SANS} font-size="21" font-weight="700" fill="#fff">Clinic – appointments</text>
    <rect x="16" y="60" width="170" height="336" fill="#d4deec"/>
    ${["Today", "Week", "Patients", "Letters"].map((label, index) => `<text x="38" y="${104 + index * 40}" ${SANS} font-size="17" fill="#24446f">${label}</text>`).join("")}
    ${rows.join("")}
    <rect x="300" y="420" width="70" height="24" fill="#2b2c2f"/>`;
}

function letter(): string {
  return `<rect width="370" height="500" fill="#fbfaf6"/>
    <text x="36" y="58" ${SANS} font-size="22" font-weight="700" fill="#1a2f55">Fernhill Savings Bank</text>
    <text x="36" y="80" ${SANS} font-size="12" fill="#555">2 Market Square · Fernhill</text>
    <rect x="36" y="94" width="298" height="2" fill="#1a2f55"/>
    ${lines(15, { x: 36, y: 130, width: 296, step: 22 })}
    <path d="M210 462 q18 -34 30 -4 q8 20 22 -12 q10 -14 16 8 q14 12 40 -10" stroke="#1c2f7a" stroke-width="2.6" fill="none"/>`;
}

function portrait(x: number, y: number, scale: number): string {
  return `<g transform="translate(${x} ${y}) scale(${scale})"><rect x="-50" y="-60" width="100" height="128" fill="#c9d6de"/>
    <path d="M-50 68 Q-46 34 0 32 Q46 34 50 68 Z" fill="#3b4a63"/><rect x="-11" y="14" width="22" height="26" fill="#d6a583"/>
    <ellipse cx="0" cy="-12" rx="27" ry="34" fill="#dfb08e"/><path d="M-29 -14 Q-30 -52 0 -52 Q30 -52 29 -14 Q20 -34 0 -34 Q-20 -34 -29 -14 Z" fill="#3d2a1c"/>
    <circle cx="-10" cy="-14" r="3" fill="#222"/><circle cx="10" cy="-14" r="3" fill="#222"/><path d="M-9 6 Q0 12 9 6" stroke="#8d4a40" stroke-width="3" fill="none"/></g>`;
}

function passport(): string {
  return `<rect width="370" height="265" rx="10" fill="#efe6dc"/><rect width="370" height="265" rx="10" fill="#b9c9e8" fill-opacity=".35"/>
    <text x="24" y="36" ${SANS} font-size="17" font-weight="700" fill="#23355f">PASSPORT · UTOPIA</text>
    ${portrait(74, 118, 0.95)}
    ${["Surname  EXAMPLE", "Given names  ADA MARIA", "Nationality  UTOPIAN", "Date of birth  09 MAY 1985", "No.  UT4711085"].map((text, index) => `<text x="142" y="${72 + index * 26}" ${SANS} font-size="14" fill="#222">${text}</text>`).join("")}
    <text x="18" y="222" ${MONO} font-size="13" textLength="334" fill="#111">P&lt;UTOEXAMPLE&lt;&lt;ADA&lt;MARIA&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;</text>
    <text x="18" y="244" ${MONO} font-size="13" textLength="334" fill="#111">UT47110852UTO8505094F3005091&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;02</text>`;
}

function identityCard(): string {
  return `<rect width="340" height="214" rx="16" fill="url(#identity)"/><rect width="340" height="40" rx="14" fill="#2f6b5e"/>
    <text x="18" y="27" ${SANS} font-size="17" font-weight="700" fill="#fff">IDENTITY CARD</text>
    ${portrait(72, 126, 0.9)}
    ${["SAMPLE", "BEN THEODORE", "14.02.1979", "ID 8800-4711-3"].map((text, index) => `<text x="140" y="${80 + index * 30}" ${SANS} font-size="17" fill="#1d2b33">${text}</text>`).join("")}`;
}

function paymentCard(): string {
  return `<rect width="340" height="214" rx="16" fill="url(#card)"/>
    <text x="24" y="42" ${SANS} font-size="20" font-weight="700" fill="#fff">Fernhill Bank</text>
    <rect x="28" y="66" width="50" height="38" rx="6" fill="#d9b964"/><path d="M28 85 H78 M53 66 V104" stroke="#8b6f2c" stroke-width="2"/>
    <text x="26" y="144" ${MONO} font-size="23" fill="#f3f3f3">5412 7511 3456 7890</text>
    <text x="26" y="190" ${SANS} font-size="16" fill="#f3f3f3">CLEO PERSON</text><text x="212" y="174" ${SANS} font-size="13" fill="#f3f3f3">09/31</text>
    <circle cx="272" cy="184" r="20" fill="#d8322c"/><circle cx="298" cy="184" r="20" fill="#eba233" fill-opacity=".9"/>`;
}

function badge(): string {
  return `<path d="M70 -60 L118 4 L134 4 L186 -66" stroke="#b3262e" stroke-width="15" fill="none"/>
    <rect x="104" y="-4" width="44" height="20" rx="4" fill="#888"/>
    <rect width="250" height="330" rx="14" fill="#fdfdfd" stroke="#d5d5d5" stroke-width="3"/><rect width="250" height="64" rx="14" fill="#b3262e"/>
    <text x="125" y="42" ${SANS} font-size="24" font-weight="700" text-anchor="middle" fill="#fff">VISITOR</text>
    ${portrait(125, 134, 0.8)}
    <text x="125" y="216" ${SANS} font-size="25" font-weight="700" text-anchor="middle" fill="#222">Dan</text>
    <text x="125" y="240" ${SANS} font-size="19" text-anchor="middle" fill="#222">Nobody</text>`;
}

function parcel(): string {
  return `<rect width="300" height="250" fill="#c79b62"/><rect x="134" width="30" height="250" fill="#d9b785" fill-opacity=".8"/>
    <rect x="34" y="30" width="226" height="190" fill="#fcfcfa"/>
    <text x="48" y="58" ${SANS} font-size="16" font-weight="700" fill="#222">To: Eve Invented</text>`;
}

function arm(): string {
  return `<path d="M-20 860 Q200 830 380 872 Q470 892 560 900 L640 926 Q660 946 632 962 L540 968 Q430 984 300 1000 L-20 1010 Z" fill="url(#skin)"/>
    <g stroke="#27384a" stroke-width="5" fill="none" stroke-opacity=".85"><path d="M170 900 q26 -22 48 6 q22 -26 46 -4 q14 26 -48 62 q-62 -34 -46 -64 Z" fill="#7c2530" fill-opacity=".55"/>
    <path d="M130 950 q60 26 170 6 M142 966 q60 18 150 2"/><path d="M112 920 q14 -18 30 0 M288 922 q16 -18 32 0"/></g>`;
}
