#!/bin/sh
# Renders a film: sh THIS [film.mp4]
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
from=$PWD
out=${1:-film.mp4}
case $out in /*) ;; *) out=$from/$out ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf '%s' '[0:a:0]aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo,atempo=2,apad=whole_len=57600,atrim=end_sample=57600,asetpts=N/SR/TB[a1];
[1:a:0]aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo,apad=whole_len=57600,atrim=end_sample=57600,asetpts=N/SR/TB[a2];
[a1][a2]acrossfade=ns=19200:c1=tri:c2=tri[a3];
anullsrc=r=48000:cl=stereo,aformat=sample_fmts=fltp,atrim=end_sample=57600[a4];
[2:a:0]aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo,apad=whole_len=57600,atrim=end_sample=57600,asetpts=N/SR/TB[a5];
[a4][a5]concat=n=2:v=0:a=1[a6];
[a3][a6]acrossfade=ns=9600:c1=tri:c2=tri[a7];
[a7]apad=whole_len=201600,atrim=end_sample=201600[a8];
anullsrc=r=48000:cl=stereo,aformat=sample_fmts=fltp,atrim=end_sample=19200[a9];
[3:a:0]aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo,apad=whole_len=38400,atrim=end_sample=38400,asetpts=N/SR/TB,afade=t=in:ss=0:ns=5760[a10];
[a9][a10]concat=n=2:v=0:a=1[a11];
anullsrc=r=48000:cl=stereo,aformat=sample_fmts=fltp,atrim=end_sample=38400[a12];
[a11][a12]acrossfade=ns=7680:c1=tri:c2=tri[a13];
[a13]apad=whole_len=201600,atrim=end_sample=201600[a14];
anullsrc=r=48000:cl=stereo,aformat=sample_fmts=fltp,atrim=end_sample=9600[a15];
[4:a:0]aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo,apad=whole_len=38400,atrim=end_sample=38400,asetpts=N/SR/TB,afade=t=out:ss=28800:ns=9600[a16];
[a15][a16]concat=n=2:v=0:a=1[a17];
[5:a:0]aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo,apad=whole_len=38400,atrim=end_sample=38400,asetpts=N/SR/TB[a18];
[a17][a18]acrossfade=ns=9600:c1=tri:c2=tri[a19];
[a19]apad=whole_len=201600,atrim=end_sample=201600,volume=-3dB[a20];
[6:a:0]asetpts=PTS-2/25/TB,aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo,apad=whole_len=57600,atrim=end_sample=57600,asetpts=N/SR/TB,volume=-10dB[a21];
anullsrc=r=48000:cl=stereo,aformat=sample_fmts=fltp,atrim=end_sample=19200[a22];
[a22][a21]concat=n=2:v=0:a=1[a23];
[a23]apad=whole_len=201600,atrim=end_sample=201600[a24];
[a8]asplit=2[a25][a26];
[a20][a26]sidechaincompress=level_sc=8:threshold=0.02:ratio=20:attack=20:release=400:mix=0.645[a27];
[a25][a14][a27][a24]amix=inputs=4:duration=longest:normalize=0[a28];
[0:v:0]setpts=(PTS-0/TB)*1/2,tpad=stop=-1:stop_mode=clone,fps=25/1:start_time=0,scale=640:360:force_original_aspect_ratio=decrease,pad=640:360:-1:-1:color=0x000000,setsar=1,trim=end_frame=30,setpts=N,format=yuv420p,settb=1/25[v29];
[v29]split=2[v30][v31];
[v30]trim=start_frame=0:end_frame=20,setpts=N[v32];
[v31]trim=start_frame=20:end_frame=30,setpts=N[v33];
[1:v:0]tpad=stop=-1:stop_mode=clone,fps=25/1:start_time=0,scale=640:360:force_original_aspect_ratio=decrease,pad=640:360:-1:-1:color=0x000000,setsar=1,trim=end_frame=30,setpts=N,format=yuv420p,settb=1/25[v34];
[v34]split=3[v35][v36][v37];
[v35]trim=start_frame=0:end_frame=10,setpts=N[v38];
[v36]trim=start_frame=10:end_frame=25,setpts=N[v39];
[v37]trim=start_frame=25:end_frame=30,setpts=N[v40];
[v33]format=yuv444p[v41];
[v38]format=yuv444p[v42];
[v41][v42]xfade=transition=wipeleft:duration=0.4:offset=0,format=yuv420p[v43];
[7:v:0]tpad=stop=-1:stop_mode=clone,fps=25/1:start_time=0,scale=w=iw*16/15:h=ih,scale=640:360:force_original_aspect_ratio=decrease,pad=640:360:-1:-1:color=0x000000,setsar=1,trim=end_frame=30,setpts=N,format=yuv420p,settb=1/25[v44];
[v44]split=2[v45][v46];
[v45]trim=start_frame=0:end_frame=5,setpts=N[v47];
[v46]trim=start_frame=5:end_frame=30,setpts=N[v48];
[v40]format=yuv444p[v49];
[v47]format=yuv444p[v50];
[v49][v50]xfade=transition=circleopen:duration=0.2:offset=0,format=yuv420p[v51];
[2:v:0]tpad=stop=-1:stop_mode=clone,fps=25/1:start_time=0,scale=640:360:force_original_aspect_ratio=decrease,pad=640:360:-1:-1:color=0x000000,setsar=1,trim=end_frame=30,setpts=N,format=yuv420p,settb=1/25[v52];
[v32][v43][v39][v51][v48][v52]concat=n=6,settb=1/25,setpts=N[v53];
[3:v:0]tpad=stop=-1:stop_mode=clone,fps=25/1:start_time=0,scale=640:360:force_original_aspect_ratio=decrease,format=yuva420p,pad=640:360:-1:-1:color=0x00000000,setsar=1,trim=end_frame=20,setpts=N,format=yuva420p,fade=t=in:s=0:n=3:alpha=1,settb=1/25[v54];
[v54]split=2[v55][v56];
[v55]trim=start_frame=0:end_frame=16,setpts=N[v57];
[v56]trim=start_frame=16:end_frame=20,setpts=N[v58];
[8:v:0]fps=25/1:start_time=0,scale=640:360:force_original_aspect_ratio=decrease,format=yuva420p,pad=640:360:-1:-1:color=0x00000000,setsar=1,tpad=stop=-1:stop_mode=clone,trim=end_frame=20,setpts=N,format=yuva420p,settb=1/25[v59];
[v59]split=2[v60][v61];
[v60]trim=start_frame=0:end_frame=4,setpts=N[v62];
[v61]trim=start_frame=4:end_frame=20,setpts=N[v63];
[v58]format=yuva444p[v64];
[v62]format=yuva444p[v65];
[v64][v65]xfade=transition=dissolve:duration=0.16:offset=0,format=yuva420p[v66];
[v57][v66][v63]concat=n=3,settb=1/25,setpts=N[v67];
[v67]setpts=N+(10)[v68];
[v53][v68]overlay=0:0:eof_action=pass[v69];
[9:v:0]fps=25/1:start_time=0,scale=80:-1,setsar=1,tpad=stop=-1:stop_mode=clone,trim=end_frame=30,setpts=N,format=yuva420p,lutyuv=a=val*70/100,fade=t=in:s=0:n=5:alpha=1,fade=t=out:s=25:n=5:alpha=1,settb=1/25,setpts=N+(5)[v70];
[v69][v70]overlay=x=W-w-18-4:y=18:eof_action=pass[v71];
[6:v:0]setpts=(PTS-2/25/TB)*1/1,tpad=stop=-1:stop_mode=clone,fps=25/1:start_time=0,scale=160:90,setsar=1,trim=end_frame=30,setpts=N,format=yuva420p,settb=1/25,setpts=N+(10)[v72];
[v71][v72]overlay=x=(W-w)/2:y=(H-h)/2:eof_action=pass[v73];
color=c=0x101418@0.78:s=160x41:r=25/1,format=yuva420p,trim=end_frame=40,drawbox=x=0:y=0:w=2:h=ih:color=0xFFB000@1:t=fill:replace=1,fade=t=in:s=0:n=7:alpha=1,fade=t=out:s=33:n=7:alpha=1,settb=1/25,setpts=N+(5)[v74];
[v73][v74]overlay=x=18:y=301:eof_action=pass[v75];
[v75]drawtext=fontfile=bold.ttf:textfile=text1.txt:expansion=none:fontsize=20:fontcolor=0xFFFFFF:x=28:y=329-ascent:alpha='\''clip(min((n-(4))/8,(45-n)/8),0,1)'\'':enable='\''between(n,5,44)'\'',drawtext=fontfile=regular.ttf:textfile=text3.txt:expansion=none:fontsize=18:fontcolor=0xFFFFFF:x=320-text_w/2:y=294-ascent:borderw=1:bordercolor=0x000000@0.85:enable='\''between(n,30,49)'\'',drawtext=fontfile=regular.ttf:textfile=text4.txt:expansion=none:fontsize=18:fontcolor=0xFFFFFF:x=320-text_w/2:y=338-ascent:borderw=1:bordercolor=0x000000@0.85:enable='\''between(n,30,49)'\''[v76];
[v76]scale=1920:1080:flags=bicubic,setsar=1,format=yuv420p[v77]
' > graph.txt
base64 -d > bold.ttf <<'FONT'
BWQGAEREAAA=
FONT
printf '%s' 'One <&> "two"' > text1.txt
base64 -d > regular.ttf <<'FONT'
sSgBiFFYuAgAiFi5AAMAAERZG7EnAYhRWLoIgAABBECIY1RYuQADAABEWVlZWVlADFQCSAQ4BigGGgUFDiq4Af+FsASNsQIARLMFZAYAREQAAA==
FONT
printf '%s' 'said' > text3.txt
printf '%s' 'so' > text4.txt
ffmpeg \
  -hide_banner \
  -nostdin \
  -y \
  -threads 1 \
  -thread_queue_size 0 \
  -t 3.4 \
  -i "file:$here/"'a.mp4' \
  -threads 1 \
  -thread_queue_size 0 \
  -t 2.2 \
  -i "file:$here/"'b.mov' \
  -threads 1 \
  -thread_queue_size 0 \
  -t 2.2 \
  -i "file:$here/"'a.mp4' \
  -threads 1 \
  -thread_queue_size 0 \
  -t 1.8 \
  -i "file:$here/"'b.mov' \
  -threads 1 \
  -thread_queue_size 0 \
  -t 1.8 \
  -i "file:$here/"'it'\''s a song.mp3' \
  -threads 1 \
  -thread_queue_size 0 \
  -t 1.8 \
  -i "file:$here/"'it'\''s a song.mp3' \
  -threads 1 \
  -thread_queue_size 0 \
  -ss 1.92 \
  -t 2.28 \
  -i "file:$here/"'a.mp4' \
  -threads 1 \
  -thread_queue_size 0 \
  -t 2.2 \
  -i "file:$here/"'quiet.webm' \
  -threads 1 \
  -thread_queue_size 0 \
  -i 'file:/pictures/logo.png' \
  -threads 1 \
  -thread_queue_size 0 \
  -i 'file:/pictures/logo.png' \
  -filter_complex_script graph.txt \
  -map '[v77]' \
  -map '[a28]' \
  -r 25/1 \
  -c:v libx264 \
  -preset medium \
  -crf 20 \
  -c:a aac \
  -b:a 192k \
  -movflags +faststart \
  -threads 1 \
  -map_metadata \
  -1 \
  -map_chapters \
  -1 \
  -fflags +bitexact \
  -flags:v +bitexact \
  -flags:a +bitexact "file:$out"


