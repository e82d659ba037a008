import { MATRICES, withEdits, withFragmentsLater, withMovieMatrix, withTrackMatrix } from "./edit-movie.ts";
import { withLacedAudio } from "./edit-webm.ts";
import type { Expected, Format, Recipe } from "./format.ts";
import {
  SECONDS,
  picture,
  tone,
  X264,
  VP8,
  VP9,
  EXACT,
  AAC,
  OPUS,
  VORBIS,
  PRIVATE,
  H264,
  HEVC,
  hevc,
  CHAPTERS,
  SUBTITLES,
  WITH_TONE,
} from "./ingredients.ts";
import { AVIS, MATROSKAS } from "./converted-formats.ts";

function mp4(property: string, video: string, audio: string, recipe: Recipe, expected?: Expected): Format {
  return { container: "MP4", video, audio, property, recipe, expected };
}

function quickTime(
  property: string,
  video: string,
  audio: string,
  recipe: Recipe,
  expected?: Expected,
): Format {
  return { container: "QuickTime", video, audio, property, recipe, expected };
}

/** A decoder of H.265 treats an undeclared range as limited. One of H.264 leaves it open, and players treat it the same. */
const NO_RANGE_TOLD: Expected = { picture: "160x96  progressive " };

function webm(property: string, video: string, audio: string, recipe: Recipe, expected?: Expected): Format {
  return { container: "WebM", video, audio, property, recipe, expected };
}

/** Files to edit have their header at the end and a known timescale. */
const EDITABLE = `${WITH_TONE} ${X264} -bf 2 -g 8 ${AAC} -video_track_timescale 12800`;

const MOVIES: readonly Format[] = [
  mp4("without B-frames", `${H264} baseline`, "AAC", {
    args: `${WITH_TONE} ${X264} -profile:v baseline ${AAC} ${PRIVATE} -movflags faststart`,
  }),
  mp4("with B-frames, moov at the end", `${H264} main`, "MP3", {
    args: `${WITH_TONE} ${X264} -profile:v main -bf 2 -c:a libmp3lame ${EXACT} ${PRIVATE}`,
  }),
  mp4("with a pyramid of B-frames and chapters", `${H264} high`, "AAC", {
    args: `${WITH_TONE} -f ffmetadata -i chapters.txt -map 0 -map 1 -map_metadata 2 -map_chapters 2 ${X264} -bf 5 -b_strategy 2 -x264-params b-pyramid=normal ${AAC}`,
    texts: { "chapters.txt": CHAPTERS },
  }),
  mp4("open groups of pictures", `${H264} high`, "AAC", {
    args: `${picture("160x120", 8.5, 4)} ${tone(8.5)} ${X264} -bf 3 -g 16 -x264-params open-gop=1:scenecut=0 ${AAC}`,
  }),
  mp4("one group of pictures that is cut in parts", `${H264} high`, "none", {
    args: `${picture("96x64", 26)} ${X264} -bf 3 -g 9999 -x264-params scenecut=0 -an`,
  }),
  mp4("10 bits", `${H264} high 10`, "AAC", {
    args: `${WITH_TONE} ${X264} -pix_fmt yuv420p10le -bf 2 ${AAC}`,
  }),
  mp4("4:2:2", `${H264} high 4:2:2`, "AAC", {
    args: `${WITH_TONE} ${X264} -pix_fmt yuv422p -bf 2 ${AAC}`,
  }),
  mp4("4:4:4 of odd size", `${H264} high 4:4:4`, "AAC", {
    args: `${WITH_TONE} -vf scale=161:121,format=yuv444p ${X264} -bf 2 ${AAC}`,
  }),
  mp4("gray", `${H264} high`, "AAC", { args: `${WITH_TONE} ${X264} -pix_fmt gray -bf 2 ${AAC}` }),
  mp4("full range", H264, "AAC", {
    args: `${WITH_TONE} ${X264} -pix_fmt yuvj420p -color_range pc ${AAC}`,
  }),
  mp4("BT.709", H264, "AAC", {
    args: `${picture()} ${tone()} -vf scale=out_color_matrix=bt709,format=yuv420p ${X264} -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv ${AAC}`,
  }),
  mp4("BT.709 signaled only in the stream", H264, "AAC", {
    args: `${picture()} ${tone()} -vf scale=out_color_matrix=bt709,format=yuv420p ${X264} -x264-params colorprim=bt709:transfer=bt709:colormatrix=bt709:range=tv ${AAC} -movflags -write_colr`,
  }),
  mp4("full range, BT.709 signaled only in the stream", H264, "AAC", {
    args: `${picture()} ${tone()} -vf scale=out_color_matrix=bt709:out_range=full,format=yuv420p ${X264} -x264-params colorprim=bt709:transfer=bt709:colormatrix=bt709:range=pc ${AAC} -movflags -write_colr`,
  }),
  mp4("BT.601 of 625 lines", H264, "AAC", {
    args: `${WITH_TONE} ${X264} -colorspace bt470bg -color_primaries bt470bg -color_trc gamma28 ${AAC}`,
  }),
  mp4("BT.2020, PQ, 10 bits", H264, "AAC", {
    args: `${picture()} ${tone()} -vf scale=out_color_matrix=bt2020,format=yuv420p10le ${X264} -colorspace bt2020nc -color_primaries bt2020 -color_trc smpte2084 -color_range tv ${AAC}`,
  }),
  mp4(
    "variable frame rate",
    H264,
    "AAC",
    {
      args: `${picture()} ${tone()} -vf settb=1/90000,setpts=90000*(N*0.03+0.01*sin(N*N)+0.2*gt(N\\,5)) -fps_mode vfr -enc_time_base 1/90000 -video_track_timescale 90000 ${X264} -bf 2 ${AAC}`,
    },
    // The edit list ends before the last frame would.
    { packetTicks: [0, 3457, 4718, 8470, 10540, 13380, 33307, 36041, 40428, 41733, 45360] },
  ),
  mp4(
    "trimmed start within a group of pictures",
    H264,
    "AAC",
    {
      args: EDITABLE,
      edit: (file) => withEdits(file, "vide", [{ duration: 200, mediaTime: 1024 + 512 * 5 }]),
    },
    { packetTicks: [0, 512, 1024, 1536, 2048, 2560] },
  ),
  mp4("empty edit before the video", H264, "AAC", {
    args: EDITABLE,
    edit: (file) =>
      withEdits(file, "vide", [
        { duration: 250, mediaTime: -1 },
        { duration: 400, mediaTime: 1024 },
      ]),
  }),
  mp4("empty edit before the audio", H264, "AAC", {
    args: EDITABLE,
    edit: (file) =>
      withEdits(file, "soun", [
        { duration: 200, mediaTime: -1 },
        { duration: 400, mediaTime: 1024 },
      ]),
  }),
  mp4(
    "two edits, trimmed end",
    H264,
    "AAC",
    {
      args: EDITABLE,
      edit: (file) =>
        withEdits(file, "vide", [
          { duration: 160, mediaTime: 1024 },
          { duration: 80, mediaTime: 1024 + 512 * 7 },
        ]),
      // ffmpeg reads such edits of a video with B-frames a frame late.
    },
    {
      frameTicks: [0, 512, 1024, 1536, 2048, 2560],
      packetTicks: [0, 512, 1024, 1536, 2048, 2560, 3072],
    },
  ),
  mp4("no edit list, first frame late", H264, "AAC", {
    args: `${EDITABLE} -use_editlist 0`,
  }),
  mp4("non-square pixels", H264, "AAC", {
    args: `${WITH_TONE} -vf setsar=16/11 ${X264} -bf 2 ${AAC}`,
  }),
  mp4("turned by 90°", H264, "AAC", {
    args: EDITABLE,
    edit: (file) => withTrackMatrix(file, MATRICES[90]),
  }),
  mp4("turned by 180°", H264, "AAC", {
    args: EDITABLE,
    edit: (file) => withTrackMatrix(file, MATRICES[180]),
  }),
  mp4("turned by 270°", H264, "AAC", {
    args: EDITABLE,
    edit: (file) => withTrackMatrix(file, MATRICES[270]),
  }),
  mp4("mirrored left to right", H264, "AAC", {
    args: EDITABLE,
    edit: (file) => withTrackMatrix(file, MATRICES.flipped),
  }),
  mp4("mirrored top to bottom", H264, "AAC", {
    args: EDITABLE,
    edit: (file) => withTrackMatrix(file, MATRICES.flippedDown),
  }),
  mp4("turned by the movie's matrix", H264, "AAC", {
    args: EDITABLE,
    edit: (file) => withMovieMatrix(file, MATRICES[90]),
  }),
  mp4("fragmented", H264, "AAC", {
    args: `${WITH_TONE} ${X264} -bf 2 -g 8 ${AAC} ${PRIVATE} -movflags frag_keyframe+empty_moov+default_base_moof`,
  }),
  mp4("fragmented, first timestamp not 0", H264, "AAC", {
    args: `${WITH_TONE} ${X264} -bf 2 -g 8 ${AAC} -video_track_timescale 12800 -movflags frag_keyframe+empty_moov+default_base_moof`,
    edit: (file) => withFragmentsLater(file, 12.5),
  }),
  mp4("two audio tracks of two languages", H264, "AAC, AC-3", {
    args: `${WITH_TONE} ${tone(SECONDS, 48_000)} -map 0 -map 1 -map 2 ${X264} -bf 2 -c:a:0 aac -c:a:1 ac3 ${EXACT} -metadata:s:a:0 language=deu -metadata:s:a:1 language=fra`,
  }),
  mp4("Opus", H264, "Opus", { args: `${picture()} ${tone(SECONDS, 48_000)} ${X264} ${OPUS}` }),
  mp4("FLAC", H264, "FLAC", {
    args: `${WITH_TONE} ${X264} -c:a flac ${EXACT} -strict -2`,
  }),
  mp4("ALAC", H264, "ALAC", { args: `${WITH_TONE} ${X264} -c:a alac ${EXACT}` }),
  mp4("Vorbis", H264, "Vorbis", { args: `${WITH_TONE} ${X264} -c:a libvorbis ${EXACT} ${PRIVATE}` }),
  mp4("no audio", H264, "–", { args: `${picture()} ${X264} -bf 2 -an` }),
  mp4("subtitles", H264, "AAC", {
    args: `${WITH_TONE} -i words.srt -map 0 -map 1 -map 2 ${X264} -bf 2 ${AAC} -c:s mov_text`,
    texts: { "words.srt": SUBTITLES },
  }),
  mp4(
    "interlaced",
    H264,
    "AAC",
    {
      args: `${WITH_TONE} -vf setfield=tff ${X264} -flags:v +ildct+ilme -x264-params tff=1 ${AAC}`,
      // In an MP4, only the stream declares the field order, and the encoder does not set it.
    },
    { picture: "160x120 SAR 1:1 progressive " },
  ),
  mp4("60 frames a second", H264, "AAC", {
    args: `${picture("160x120", 0.2, 60)} ${tone(0.2)} ${X264} -bf 2 ${AAC}`,
  }),
  mp4("29.97 frames a second, shorter audio", H264, "AAC", {
    args: `${picture("160x120", 0.4, "30000/1001")} ${tone(0.2)} ${X264} -bf 2 ${AAC}`,
  }),
  mp4(
    "every frame a key frame",
    "H.265 main",
    "AAC",
    {
      ...hevc(8),
      args: `${HEVC} ${tone()} -map 0 -map 1 -c:v copy -tag:v hvc1 ${AAC} ${PRIVATE}`,
    },
    NO_RANGE_TOLD,
  ),
  mp4(
    "10 bits",
    "H.265 main 10",
    "AAC",
    {
      ...hevc(10),
      args: `${HEVC} ${tone()} -map 0 -map 1 -c:v copy -tag:v hvc1 ${AAC}`,
    },
    NO_RANGE_TOLD,
  ),
  mp4(
    "parameter sets within the stream",
    "H.265 main",
    "–",
    {
      ...hevc(8),
      args: `${HEVC} -map 0 -c:v copy -tag:v hev1`,
    },
    NO_RANGE_TOLD,
  ),
  quickTime("PCM of 16 bits", H264, "PCM s16le", {
    args: `${WITH_TONE} ${X264} -bf 2 -c:a pcm_s16le ${PRIVATE}`,
  }),
  quickTime("PCM of 24 bits, stereo, big-endian", H264, "PCM s24be", {
    args: `${WITH_TONE} ${X264} -bf 2 -ac 2 -c:a pcm_s24be`,
  }),
  quickTime("PCM of 32-bit floats", H264, "PCM f32le", {
    args: `${WITH_TONE} ${X264} -bf 2 -c:a pcm_f32le`,
  }),
  quickTime("timecode and QuickTime's own metadata", H264, "AAC", {
    args: `${WITH_TONE} ${X264} -bf 2 ${AAC} -timecode 01:02:03:04 -movflags use_metadata_tags ${PRIVATE} -metadata com.apple.quicktime.make=SECRET -metadata com.apple.quicktime.location.ISO6709=SECRET`,
  }),
  quickTime("µ-law", H264, "µ-law", {
    args: `${picture()} ${tone(0.64, 8000)} ${X264} -c:a pcm_mulaw`,
  }),
];

const WEBMS: readonly Format[] = [
  webm("VP8, Vorbis, tags and chapters", "VP8", "Vorbis", {
    args: `${WITH_TONE} -f ffmetadata -i chapters.txt -map 0 -map 1 -map_chapters 2 ${VP8} ${VORBIS} ${PRIVATE}`,
    texts: { "chapters.txt": CHAPTERS },
  }),
  webm("padding at the audio's end", "VP8", "Opus", {
    args: `${picture()} ${tone(0.393, 48_000)} ${VP8} ${OPUS}`,
  }),
  webm("VP9", "VP9", "Opus", { args: `${picture()} ${tone(SECONDS, 48_000)} ${VP9} ${OPUS}` }),
  webm("hidden frames", "VP8", "Opus", {
    args: `${picture("160x120", 0.8)} ${tone(0.8, 48_000)} -c:v libvpx -deadline good -cpu-used 4 -auto-alt-ref 1 -lag-in-frames 12 -crf 4 -b:v 4M -arnr-maxframes 5 ${OPUS}`,
  }),
  webm(
    "VP9 4:4:4",
    "VP9 profile 1",
    "Opus",
    {
      args: `${picture()} ${tone(SECONDS, 48_000)} ${VP9} -pix_fmt yuv444p ${OPUS}`,
      // VP8 supports only chroma of half the size.
    },
    { leastPsnr: 26 },
  ),
  webm("VP9 with alpha", "VP9", "–", { args: `${picture()} ${VP9} -pix_fmt yuva420p -an` }),
  webm("VP8 with alpha", "VP8", "–", { args: `${picture()} ${VP8} -pix_fmt yuva420p -auto-alt-ref 0 -an` }),
  webm("odd size", "VP8", "Opus", {
    args: `${picture()} ${tone(SECONDS, 48_000)} -vf scale=161:121 ${VP8} ${OPUS}`,
  }),
  webm("non-square pixels", "VP9", "–", { args: `${picture()} -vf setsar=16/11 ${VP9} -an` }),
  webm("full range, BT.709", "VP9", "–", {
    args: `${picture()} -vf scale=out_color_matrix=bt709:out_range=full,format=yuv420p ${VP9} -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range pc -an`,
  }),
  webm("variable frame rate", "VP8", "Vorbis", {
    args: `${picture()} ${tone()} -vf settb=1/1000,setpts=1000*(N*0.03+0.01*sin(N*N)+0.2*gt(N\\,5)) -fps_mode vfr -enc_time_base 1/1000 ${VP8} ${VORBIS}`,
  }),
  webm("two audio tracks", "VP8", "Opus, Vorbis", {
    args: `${picture()} ${tone(SECONDS, 48_000)} ${tone()} -map 0 -map 1 -map 2 ${VP8} -c:a:0 libopus -c:a:1 libvorbis ${EXACT} -metadata:s:a:0 language=deu -metadata:s:a:1 language=fra`,
  }),
  webm("no audio", "VP8", "–", { args: `${picture()} ${VP8} -an` }),
  webm("first timestamp not 0", "VP8", "Vorbis", {
    args: `${WITH_TONE} ${VP8} ${VORBIS} -output_ts_offset 3.5`,
  }),
  webm("audio with EBML lacing", "VP8", "Opus", {
    args: `${picture()} ${tone(SECONDS, 48_000)} ${VP8} ${OPUS} -live 1`,
    edit: (file) => withLacedAudio(file, 20),
  }),
  webm("no cues, no duration, clusters without size", "VP8", "Vorbis", {
    args: `${WITH_TONE} ${VP8} ${VORBIS} -live 1`,
  }),
];

export const FORMATS: readonly Format[] = [...MOVIES, ...WEBMS, ...MATROSKAS, ...AVIS];
